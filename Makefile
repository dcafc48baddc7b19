# make run    the host scenarios against the embedded reference host
# make test   everything: linters, types, tests
# make check  linters and types alone
# make bench  the benchmarks, with figures

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

.PHONY: run test check bench clean

run: $(READY)
	$(BIN)/openwop-conformance run reference --ledger out/ledger.jsonl --report markdown:out/report.md

test: check
	$(BIN)/python -m pytest

check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/openwop-conformance lint

bench: $(READY)
	$(BIN)/python -m pytest tests/benchmarks --benchmark-enable --benchmark-only

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed; set PYTHON=…") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	@$(BIN)/python -m pip download --quiet --disable-pip-version-check --no-deps \
		--dest .venv/upstream a2ui-agent-sdk==0.7.0 || echo "upstream's schemas cannot be had: their tests skip"
	@touch $@

clean:
	rm -rf .venv out dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis .benchmarks
