# Every target makes its own environment in .venv when it needs one: Python 3.11 or newer, make and git are enough.

PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && { echo $$p; break; }; done)
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

GOLDEN ?= tests/data/golden
CASES ?= tests/data/cases
VECTORS ?= tests/data/egress_vectors.jsonl

MUTANTS := build/mutants

.DEFAULT_GOAL := help
.PHONY: help demo test lint format bench golden cases egress conformance mutants clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

$(READY): pyproject.toml constraints.txt
	@if [ -z "$(PYTHON)" ]; then \
		echo "Pegboard needs Python 3.11 or newer, and none was found. Install one, or name it: make PYTHON=/path/to/python3" >&2; \
		exit 1; fi
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "$(PYTHON) is older than Python 3.11, or is not there. Name another one: make PYTHON=/path/to/python3" >&2; \
		exit 1; }
	@echo "Setting up $(VENV) with $$($(PYTHON) --version): about a minute, once" >&2
	@$(PYTHON) -m venv $(VENV) || { \
		echo "$(PYTHON) cannot make environments. On Debian and Ubuntu: apt-get install python3-venv" >&2; \
		exit 1; }
	@(while sleep 2 && kill -0 $$$$ 2>/dev/null; do printf . >&2; done) & dots=$$!; \
		$(BIN)/python -m pip install -qq --disable-pip-version-check -c constraints.txt -e '.[dev]'; code=$$?; \
		kill $$dots; echo >&2; exit $$code
	@touch $@

demo: $(READY) ## see what it does, with real servers
	@$(BIN)/pegboard demo

test: $(READY) ## run the tests; one of them: make test ARGS='tests/test_naming.py -x'
	@$(BIN)/python -m pytest $(or $(ARGS),-n 2 --dist worksteal)

lint: $(READY) ## check format, rules and types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: $(READY) ## mend the format, and what the rules can mend by themselves
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(READY) ## measure
	@$(BIN)/python -m benchmarks.run $(ARGS)

golden: $(READY) ## run the golden vectors; others: make golden DIR=...
	@$(BIN)/python -m tests.runners.golden $(or $(DIR),$(GOLDEN))

cases: $(READY) ## run the cases; others: make cases DIR=...
	@$(BIN)/python -m tests.runners.cases $(or $(DIR),$(CASES))

egress: $(READY) ## run the egress vectors; others: make egress FILE=...
	@$(BIN)/python -m tests.runners.egress $(or $(FILE),$(VECTORS))

conformance: $(READY) ## run the official MCP conformance suite and Inspector (npm brings them, once)
	@$(BIN)/python -m tests.conformance $(ARGS)

mutants: $(READY) ## change one module in small ways and list what no test notices: make mutants ARGS='pegboard.pins.*'
	@$(BIN)/python -m pip install -qq --disable-pip-version-check mutmut
	@rm -rf $(MUTANTS) && mkdir -p $(MUTANTS)
	@cp -R src tests docs benchmarks README.md Makefile constraints.txt pyproject.toml $(MUTANTS)
	@cat scripts/mutmut.toml >> $(MUTANTS)/pyproject.toml
	@cd $(MUTANTS) && $(CURDIR)/$(BIN)/mutmut run $(ARGS) && $(CURDIR)/$(BIN)/mutmut results | grep -E 'survived|no tests' || true

clean: ## remove everything that was made here
	rm -rf $(VENV) .bench .conformance .demo build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
