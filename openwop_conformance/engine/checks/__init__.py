"""Judgements on what a host answered; each raises ``CheckFailed`` through the witness."""
