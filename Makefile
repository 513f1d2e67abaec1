# Every target builds what it needs: `make book` works right after `git clone`. `PYTHON=python3.13 make book` chooses the Python.
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help book unit test check test-browser test-commands lint rerun lab serve bench reproduce dist lock any-python clean distclean always

BIN := .venv/bin
READY := .venv/.ready
SITE := _build/html/index.html
SOURCES := _config.yml _toc.yml $(shell find book notebooks wfhelpers results tests experiments.yml -type f \
             -not -path '*/__pycache__/*' -not -path '*/.ipynb_checkpoints/*' -not -name '.*' 2>/dev/null)
# One thread per test process: more would only wait for each other.
PYTEST := OMP_NUM_THREADS=1 $(BIN)/pytest -n 2 --dist loadfile
OUT := out.ipynb

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

book: $(SITE) ## build the site into _build/html
	@echo "The book is $(SITE): open this file in a browser, or \`make serve\`, which shows it on http://localhost:8000."

unit: $(READY) ## run the tests of the package: a minute, without the book
	$(PYTEST) --doctest-modules wfhelpers tests --ignore tests/book --ignore tests/faults $(ARGS)

test: $(SITE) ## run all tests, with their coverage, then every notebook again, output by output
	$(PYTEST) --cov --doctest-modules wfhelpers tests $(ARGS)
	$(PYTEST) --nbval notebooks $(ARGS)

check: $(READY) ## run every notebook again and compare each printed number with the stored one
	$(PYTEST) --nbval $(if $(NOTEBOOK),notebooks/$(NOTEBOOK).ipynb,notebooks)

test-browser: $(SITE) ## look at the built site with a real Chromium
	$(BIN)/pytest -m browser tests/book $(ARGS)

test-commands: $(SITE) ## run every command that the README and its kin print, in a fresh shell
	$(BIN)/pytest -m commands tests/book $(ARGS)

lint: $(READY) ## check style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

rerun: $(READY) ## run a chapter with other parameters: make rerun NOTEBOOK=01_data ARGS="-p dataset citeseer"
	@test -f "notebooks/$(NOTEBOOK).ipynb" || { echo 'Name a chapter, as in: make rerun NOTEBOOK=01_data ARGS="-p dataset citeseer"' >&2; exit 2; }
	$(BIN)/papermill notebooks/$(NOTEBOOK).ipynb $(OUT) $(ARGS)
	@echo "$(OUT) has the chapter as it was run: \`make lab\` opens it."

lab: $(READY) ## open the chapters in JupyterLab, where saving one half of a pair saves the other
	$(BIN)/jupytext --quiet --sync notebooks/*.ipynb
	$(BIN)/jupyter lab $(ARGS)

serve: $(SITE) ## serve the site on http://localhost:8000
	$(BIN)/python -m http.server --directory _build/html $(ARGS)

bench: .venv/.ready-for-bench ## measure the engine against others
	$(BIN)/python -m benchmarks.engine

reproduce: $(READY) ## make what is missing or stale (the whole grid: make reproduce ARGS=--force)
	$(BIN)/wfhelpers $(if $(findstring --dry-run,$(ARGS)),status,tune)
	$(BIN)/wfhelpers reproduce $(ARGS)
	$(if $(findstring --dry-run,$(ARGS)),,$(BIN)/wfhelpers measure)

dist: $(READY) ## build the wheel into _build/dist
	rm -rf build _build/dist
	$(BIN)/pip wheel --quiet --no-deps --no-build-isolation --wheel-dir _build/dist .
	@rm -rf build
	@echo "The wheel is $$(ls _build/dist/*.whl)"

lock: ## resolve pyproject.toml again for every Python and system (newer versions: make lock ARGS=--upgrade); needs uv
	uv pip compile --quiet $(ARGS) pyproject.toml --extra book --extra test --extra cluster --extra lab -o requirements.lock
	uv pip compile --quiet $(ARGS) --group bench -c requirements.lock -o benchmarks/requirements.lock

any-python: ## build and test from an empty folder with an empty home, once per Python: make any-python ARGS="python3.12 python3.13"
	tools/any_python $(ARGS)

clean: ## remove what was built
	rm -rf _build

distclean: clean ## remove what was built, and the environment
	rm -rf .venv

$(READY): always
	@tools/environment $(PYTHON)

.venv/.ready-for-bench: $(READY) benchmarks/requirements.lock
	$(BIN)/pip install --quiet --no-deps --require-hashes -r benchmarks/requirements.lock
	@touch $@

# --all: an unchanged page is read again, so that its warnings are not lost; executed notebooks come from the cache.
$(SITE): $(READY) $(SOURCES)
	@$(BIN)/jupyter-book build . -q -W -n --keep-going --all
	@touch $@

# One file to keep: the whole book printed, and the site packed.
.PHONY: pdf zip
pdf: $(SITE) ## print the whole book into one PDF; needs Chromium
	$(BIN)/python book/_ext/keep.py pdf

zip: $(SITE) ## pack the site into one file that opens without a server
	$(BIN)/python book/_ext/keep.py zip
