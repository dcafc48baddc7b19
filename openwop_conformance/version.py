"""The version of this package. It is built by it, and every ledger and report names it."""

VERSION = "0.1.0"
