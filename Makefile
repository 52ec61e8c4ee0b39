# Everything runs in .venv, which the first target that needs it makes. Python ≥ 3.11 and make are all it takes.
PYTHON ?= python3
BIN := .venv/bin
# Installing compiles the kernels, and again where one of these is newer.
SOURCES := pyproject.toml hatch_build.py $(wildcard src/rankscope/kernels/*.pyx src/rankscope/kernels/*.pxd)

.PHONY: demo test check data test-slow test-wheel test-lowest fuzz lint bench docs notebooks reproduce coverage clean

demo: .venv/.installed
	$(BIN)/rankscope demo

test: .venv/.installed-dev
	$(BIN)/python -m pytest -n auto --dist worksteal -m 'not slow' --doctest-modules src tests

# Lint, types, and the tests touched by what changed since SINCE: under a minute.
SINCE ?= HEAD
check: lint
	$(BIN)/python tests/touched.py --since $(SINCE)

test-slow: .venv/.installed-dev
	$(BIN)/python -m pytest -n auto -m slow tests
	HYPOTHESIS_PROFILE=long $(BIN)/python -m pytest -n auto -m 'hypothesis and not slow' tests

# The built wheel in a fresh environment with src out of the way, with the newest and with the lowest declared versions of
# the dependencies; FOR=python3.13 takes another interpreter, TESTS="tests/files" some of the tests, KEEP=folder keeps the
# environment there for the next time. As in `make test`, the examples of the docstrings are run too.
TESTS ?= --doctest-modules --pyargs rankscope tests
BUILT = $(BIN)/python tests/built.py $(if $(FOR),--python $(FOR)) $(if $(KEEP),--keep $(KEEP))
test-wheel: .venv/.installed-dev
	$(BUILT) -- -n auto -m 'not slow' $(TESTS)

test-lowest: .venv/.installed-dev
	$(BUILT) --lowest -- -n auto -m 'not slow' $(TESTS)

# A coverage-guided fuzzer over every reader; what breaks one is kept in build/fuzz.
SECONDS ?= 300
fuzz: .venv/.installed-dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[fuzz]'
	$(BIN)/python fuzz/readers.py --seconds $(SECONDS) $(KINDS)

# Coverage, level and operating characteristics, simulated anew: docs/coverage.md and parts of verdict.md, correction.md and planning.md,
# partly from the data in ../shared/data or RANKSCOPE_DATA. It takes some twenty minutes.
coverage: export PYTHONPATH = tests
coverage: .venv/.installed-dev
	$(BIN)/python tests/inference/simulated.py
	$(BIN)/python tests/inference/ranked.py
	$(BIN)/python tests/inference/labelled.py
	$(BIN)/python tests/inference/corrected.py
	$(BIN)/python tests/inference/corrected_documents.py
	$(BIN)/python tests/inference/corrected_battles.py
	$(BIN)/python tests/inference/planned.py
	$(BIN)/python tests/inference/operating.py
	$(BIN)/python tests/inference/repeated_judges.py
	$(BIN)/python tests/inference/topic_agreement.py
	$(BIN)/python tests/inference/shared_errors.py

lint: .venv/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: .venv/.installed-dev
	$(BIN)/python -m benchmarks

docs: .venv/.installed-dev
	$(BIN)/python docs/generate.py
	$(BIN)/python docs/coefficient_pictures.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "The documentation: site/index.html"

# The tutorial notebook run anew and stored with its output; the site shows what is stored.
notebooks: .venv/.installed-dev
	$(BIN)/python docs/notebooks/run.py

# The papers again, from the data in ../shared/data or RANKSCOPE_DATA: pages and figures of docs/papers. QUICK=1 takes
# fewer draws, prints, and writes nothing; PAPERS="gao2015 gao2016" makes some only.
reproduce: .venv/.installed-dev
	$(BIN)/python -m reproductions $(if $(QUICK),--quick) $(PAPERS)

# The public collections behind the data tests and `make reproduce`, by name and hash, into DATA; SETS="trec5" for some.
DATA ?= data
data: .venv/.installed-dev
	$(BIN)/python -m reproductions.datasets $(DATA) $(SETS)

clean:
	rm -rf .venv build rankscope-demo
	find src -name '*.so' -delete

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "rankscope needs Python 3.11 or newer; say which: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv .venv

.venv/.installed: .venv/bin/python $(SOURCES)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

.venv/.installed-dev: .venv/bin/python $(SOURCES)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch .venv/.installed $@
