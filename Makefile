# make run    the host scenarios against the embedded reference host
# make test   everything: linters, types, tests
# make check  linters and types alone
# make gates  the corpus gates alone
# make bench  the benchmarks, with figures

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

.PHONY: run test check gates bench clean

run: $(READY)
	$(BIN)/openwop-conformance run reference --ledger out/ledger.jsonl --report markdown:out/report.md

test: check
	$(BIN)/python -m pytest -n auto

check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/openwop-conformance lint

gates: $(READY)
	$(BIN)/openwop-conformance coherence --upstream .venv/upstream --check

bench: $(READY)
	$(BIN)/python -m pytest tests/benchmarks --benchmark-enable --benchmark-only

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed; set PYTHON=…") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	@$(BIN)/openwop-conformance coherence --fetch .venv/upstream || echo "upstream's files cannot be had: their tests skip"
	@touch $@

clean:
	rm -rf .venv out dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis .benchmarks
