# capax: `make demo` shows it, `make test` tests it. Both set up .venv by themselves.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
TOOLS := $(VENV)/.tools
DOCS := $(VENV)/.docs

# Bytecode is kept (`make clean` removes it), also where the environment says otherwise: the tests start hundreds of
# processes, and each would compile the package anew.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help demo test check deep proofs mutants bench docs serve site clean

help:  ## list the targets
	@sed -n 's/^\([a-z]*\):.*  ## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

demo: $(READY)  ## show what capax does, and write it as a page
	@$(BIN)/capax demo

# `make check test` runs the rules of the house once, in `check`.
test: $(TOOLS)  ## run the tests (all but the deep ones)
	@$(BIN)/python -m pytest -q -n auto --dist loadgroup $(if $(filter check,$(MAKECMDGOALS)),--ignore=tests/house)

check: $(TOOLS)  ## lint, format, types and the rules of the house
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy --strict src
	@$(BIN)/python -m pytest -q -n auto --dist loadgroup tests/house

deep: $(TOOLS)  ## run the tests that take minutes, the proofs in Coq among them
	@$(BIN)/python proofs --install
	@$(BIN)/python -m pip install -qq --disable-pip-version-check -c constraints.txt -e '.[mutation,llama-cpp]'
	@$(BIN)/python -m pytest -q -n auto -m deep --hypothesis-profile=deep

proofs: $(READY)  ## check the proofs in Coq, and the certificates of a few models
	@$(BIN)/python proofs

mutants: $(TOOLS)  ## change the trust core in small ways, and see that tests fail
	@$(BIN)/python -m pip install -qq --disable-pip-version-check -c constraints.txt -e '.[mutation]'
	@$(BIN)/python -m tests.mutation

bench: $(TOOLS)  ## run the benchmarks at small sizes, and write their page
	@$(BIN)/python benchmarks

# The programs on its pages link to a playground beside them, which needs Pyodide (fetched once by npm).
docs: $(DOCS)  ## build the documentation into site/
	@mkdir -p build && rm -f build/playground.html
	@$(BIN)/capax site --single-file -o build/playground.html >/dev/null || echo "the pages have no links to the playground" >&2
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "site/index.html"

serve: $(READY)  ## serve the playground
	@$(BIN)/python -c 'import segno, uvicorn' 2>/dev/null || $(BIN)/python -m pip install -qq --disable-pip-version-check -c constraints.txt -e '.[web]'
	@$(BIN)/capax serve --report docs/experiments/report.html

site: $(READY)  ## write the playground as static files into playground/
	@$(BIN)/capax site -o playground --force

clean:  ## remove .venv, caches and what was built
	@rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	@find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

# The stamp is younger than what decides the contents of .venv, so a second run starts at once.
$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "capax needs Python 3.11 or later; '$(PYTHON)' is not (or is missing). Try: make $(MAKECMDGOALS) PYTHON=python3.12" >&2; \
	  exit 1; }
	@echo "setting up $(VENV) (about a minute, once)" >&2
	@$(PYTHON) -m venv $(VENV) || { echo "'$(PYTHON) -m venv' failed: on Debian or Ubuntu, install python3-venv." >&2; exit 1; }
	@$(BIN)/python -m pip install -qq --disable-pip-version-check -c constraints.txt -e '.[onnx]'
	@touch $@

# What only the tests need: the linters, and the libraries that models are exported to.
$(TOOLS): $(READY)
	@echo "installing the tools of the tests: PyTorch (CPU), transformers, transformer_lens, onnx (two minutes, 2 GB, once)" >&2
	@$(BIN)/python -m pip install -qq --disable-pip-version-check -c constraints.txt -e '.[dev,torch,hf,lens,onnx,gguf,parquet,smt,web,notebook]'
	@touch $@

# What only the documentation needs.
$(DOCS): $(READY)
	@$(BIN)/python -m pip install -qq --disable-pip-version-check -c constraints.txt -e '.[docs]'
	@touch $@
