"""What is asked: scenario files read with their positions, checked, and made ready to run."""
