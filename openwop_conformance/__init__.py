"""Verdicts you can check on OpenWOP hosts, A2UI SDKs and renderers."""
