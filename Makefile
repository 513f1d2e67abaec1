# Every target builds what it needs: `make book` works right after `git clone`.
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help book unit test test-browser lint bench reproduce serve clean distclean

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
SITE := _build/html/index.html
SOURCES := _config.yml _toc.yml $(shell find book notebooks wfhelpers results tests experiments.yml -type f \
             -not -path '*/__pycache__/*' -not -path '*/.ipynb_checkpoints/*' -not -name '.*' 2>/dev/null)
# One thread per test process: more would only wait for each other.
PYTEST := OMP_NUM_THREADS=1 $(BIN)/pytest -n 2 --dist loadfile

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

book: $(SITE) ## build the site into _build/html
	@echo "The book is $(SITE)"

unit: $(READY) ## run the tests of the package: a minute, without the book
	$(PYTEST) --doctest-modules wfhelpers tests --ignore tests/book --ignore tests/faults

test: $(SITE) ## run all tests, then every notebook again, output by output
	$(PYTEST) --doctest-modules wfhelpers tests
	$(PYTEST) --nbval notebooks

test-browser: $(SITE) ## look at the built site with a real Chromium
	$(BIN)/pytest -m browser tests/book

lint: $(READY) ## check style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: .venv/.ready-for-bench ## measure the engine against others
	$(BIN)/python -m benchmarks.engine

reproduce: .venv/.ready-for-cluster ## make what is missing or stale (the whole grid: make reproduce ARGS=--force)
	$(BIN)/wfhelpers tune
	$(BIN)/wfhelpers reproduce $(ARGS)
	$(BIN)/wfhelpers measure

serve: $(SITE) ## serve the site on http://localhost:8000
	$(BIN)/python -m http.server --directory _build/html

clean: ## remove the site
	rm -rf _build

distclean: clean ## remove the site and the environment
	rm -rf .venv

$(READY): pyproject.toml requirements.lock
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet -c requirements.lock -e ".[book,test]"
	@touch $@

.venv/.ready-for-bench: $(READY)
	$(BIN)/pip install --quiet -c requirements.lock -e ".[bench]"
	@touch $@

.venv/.ready-for-cluster: $(READY)
	$(BIN)/pip install --quiet -c requirements.lock -e ".[cluster]"
	@touch $@

# --all: an unchanged page is read again, so that its warnings are not lost; executed notebooks come from the cache.
$(SITE): $(READY) $(SOURCES)
	$(BIN)/jupyter-book build . -W -n --keep-going --all
	@touch $@

# One file to keep: the whole book printed, and the site packed.
.PHONY: pdf zip
pdf: $(SITE) ## print the whole book into one PDF; needs Chromium
	$(BIN)/python book/_ext/keep.py pdf

zip: $(SITE) ## pack the site into one file that opens without a server
	$(BIN)/python book/_ext/keep.py zip
