# make run    the host scenarios against the embedded reference host
# make test   everything: linters, types, tests
# make check  linters and types alone
# make gates  the corpus gates alone
# make bench  the benchmarks, with figures
# make docs   the site of docs/, in out/site
# make docs-reference    write the pages of docs/ that are made from the product
# make sdk-results       judge the real SDKs again, and write down what each of them fails
# make renderers         build the pages on the real renderers from npm
# make renderer-results  judge the real renderers again, and write down what each of them fails

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

# the tests start many processes, and without compiled modules each of them compiles all again
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run test check gates bench docs docs-reference sdk-results renderer-results renderers clean

RENDERERS := .venv/renderers
PAGES := openwop_conformance/pages
WEB_CORE := @a2ui/web_core@0.11.0
AXE := axe-core@4.14.1

run: $(READY)
	$(BIN)/openwop-conformance run reference --ledger out/ledger.jsonl --report html:out/report.html

test: check .venv/.extras
	$(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder

check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/openwop-conformance lint

gates: $(READY)
	$(BIN)/openwop-conformance coherence --upstream .venv/upstream --check

bench: $(READY)
	$(BIN)/python -m pytest tests/benchmarks --benchmark-enable --benchmark-only

docs: .venv/.docs
	$(BIN)/python -m sphinx --builder html --fail-on-warning --keep-going --quiet \
	  --doctree-dir out/doctrees docs out/site
	@echo "the site is out/site/index.html"

docs-reference: $(READY)
	$(BIN)/python -m tests.docs.reference_pages

sdk-results: .venv/.extras
	$(BIN)/python -m tests.sdks.results

renderer-results: .venv/.extras
	$(BIN)/python -m tests.consumers.results

renderers: $(RENDERERS)/.ready

$(RENDERERS)/.ready: $(READY) $(wildcard $(PAGES)/*.js $(PAGES)/*/*.js $(PAGES)/*/*.html $(PAGES)/package.json)
	mkdir -p $(RENDERERS)/lit $(RENDERERS)/react
	cp $(PAGES)/package.json $(RENDERERS)/
	npm install --silent --no-audit --no-fund --no-package-lock --prefix $(RENDERERS)
	for page in lit react; do \
	  cp $(PAGES)/$$page/index.html $(RENDERERS)/$$page/ && \
	  NODE_PATH=$(RENDERERS)/node_modules $(RENDERERS)/node_modules/.bin/esbuild $(PAGES)/$$page/main.js \
	    --bundle --format=iife --minify --log-level=warning --define:process.env.NODE_ENV='"production"' \
	    --outfile=$(RENDERERS)/$$page/main.js || exit 1; \
	done
	cp $(RENDERERS)/node_modules/@a2ui/react/v0_9/index.css $(RENDERERS)/react/main.css
	@touch $@

# what only some tests need, and what cannot be had everywhere
.venv/.extras: $(READY)
	@command -v chromium >/dev/null || (apt-get update && apt-get install --yes chromium) >/dev/null 2>&1 || \
	  echo "there is no chromium, and apt-get cannot install it: the tests in a browser skip"
	@npm install --silent --no-audit --no-fund --no-package-lock --prefix .venv/node $(WEB_CORE) || \
	  echo "npm cannot install $(WEB_CORE): its tests skip"
	@npm install --silent --no-audit --no-fund --no-package-lock --prefix .venv/node $(AXE) || \
	  echo "npm cannot install $(AXE): the accessibility tests of the report skip"
	@$(MAKE) --no-print-directory renderers >/dev/null 2>&1 || \
	  echo "npm cannot build the pages on real renderers: their tests skip"
	@$(MAKE) --no-print-directory .venv/.docs >/dev/null 2>&1 || \
	  echo "pip cannot install Sphinx: the tests of the site skip"
	@touch $@

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed; set PYTHON=…") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test,sdks,browser]'
	@$(BIN)/openwop-conformance coherence --fetch .venv/upstream || echo "upstream's files cannot be had: their tests skip"
	@touch $@

.venv/.docs: $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	@touch $@

clean:
	rm -rf .venv out dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis .benchmarks
