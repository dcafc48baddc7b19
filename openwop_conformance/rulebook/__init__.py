"""The rules as a subject: what the gates in ``coherence/`` judge schemas and fixtures with."""
