"""What a person or a program reads: one module a form, all of them fed by the same events."""
