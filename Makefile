# make demo and make test do all set-up on a fresh machine: Python 3.11 or newer, make and a package index are enough.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Flow tests wait for servers, so more run beside each other than there are processors; tests are handed out one by one.
WORKERS ?= 4

.PHONY: demo test check bench docs lock clean

$(VENV)/installed: requirements.lock pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

$(VENV)/compiled: $(VENV)/installed $(wildcard sdc/kernels/*.py)
	$(BIN)/python -m sdc.kernels
	touch $@

$(VENV)/installed-dev: $(VENV)/installed requirements-dev.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements-dev.lock
	touch $@

demo: $(VENV)/compiled
	$(BIN)/sdc demo

# Flow tests drive real servers, schedules and browsers: what fails beside others is run once more by itself, and must hold then.
test: $(VENV)/installed-dev $(VENV)/compiled
	$(BIN)/pytest -n $(WORKERS) --dist loadgroup || $(BIN)/pytest --last-failed --last-failed-no-failures none

check: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/installed-dev $(VENV)/compiled
	for script in benchmarks/bench_*.py; do $(BIN)/python $$script || exit 1; done

docs: $(VENV)/installed
	$(BIN)/sdc catalogue --markdown > docs/catalogue.md

lock:
	$(BIN)/python -m uv pip compile pyproject.toml --universal --generate-hashes --no-header --no-annotate --no-emit-index-url --no-emit-find-links --extra encryption --extra build -o requirements.lock
	$(BIN)/python -m uv pip compile pyproject.toml --universal --generate-hashes --no-header --no-annotate --no-emit-index-url --no-emit-find-links --extra encryption --extra build --extra dev -c requirements.lock -o requirements-dev.lock

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache
	find . -name __pycache__ -prune -exec rm -rf {} +
