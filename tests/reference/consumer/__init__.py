"""Tests of the reference consumer."""
