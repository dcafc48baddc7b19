"""Asking: gates are decided, steps are taken, and each requirement gets its one disposition."""
