# Every target builds what it needs: `make book` works right after `git clone`.
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help book test test-browser lint bench reproduce serve clean

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
SITE := _build/html/index.html
SOURCES := _config.yml _toc.yml $(shell find book notebooks wfhelpers results experiments.yml -type f \
             -not -path '*/__pycache__/*' -not -path '*/.ipynb_checkpoints/*' 2>/dev/null)

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

book: $(SITE) ## build the site into _build/html
	@echo "The book is $(SITE)"

test: $(SITE) ## run the tests, then every notebook again, output by output
	OMP_NUM_THREADS=1 $(BIN)/pytest -n 2 --dist loadfile
	OMP_NUM_THREADS=1 $(BIN)/pytest --nbval -n 2 --dist loadfile notebooks

test-browser: $(SITE) ## look at the built site with a real Chromium
	$(BIN)/pytest -m browser tests/book

lint: $(READY) ## check style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: .venv/.ready-for-bench ## measure the engine against others
	$(BIN)/python benchmarks/engine.py

reproduce: .venv/.ready-for-cluster ## rerun the tasks that are missing (all of them: make reproduce ARGS=--force)
	$(BIN)/python -m wfhelpers.reproduce $(ARGS)

serve: $(SITE) ## serve the site on http://localhost:8000
	$(BIN)/python -m http.server --directory _build/html

clean: ## remove the site and the environment
	rm -rf _build .venv

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
