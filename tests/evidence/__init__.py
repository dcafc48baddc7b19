"""Tests of what is written down, and of what is made of it."""
