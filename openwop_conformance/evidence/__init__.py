"""What was witnessed, and what had to be: requirements and the ledger."""
