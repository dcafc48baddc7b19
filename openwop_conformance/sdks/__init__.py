"""Adapters for public A2UI libraries: each one small file that translates calls and judges none."""
