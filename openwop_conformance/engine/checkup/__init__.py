"""What can be said of a subject before a run: what answers, what it claims, what would be asked."""
