# make demo and make test do all set-up on a fresh machine: Python 3.11 or newer, make and a package index are enough.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Flow tests wait for servers, so more run beside each other than there are processors; what takes long begins first (tests/handing_out.py).
WORKERS ?= 4

# Tests start hundreds of commands: modules are compiled once, not at every start.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test quick check wheel bench bench-quick docs studies lock clean

$(VENV)/installed: requirements.lock pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

$(VENV)/compiled: $(VENV)/installed $(wildcard sdc/kernels/*.py)
	$(BIN)/python -m sdc.kernels
	$(BIN)/python -m flows.orchestration.database
	touch $@

$(VENV)/installed-dev: $(VENV)/installed requirements-dev.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements-dev.lock
	touch $@

demo: $(VENV)/compiled
	$(BIN)/sdc demo

test: $(VENV)/installed-dev $(VENV)/compiled
	$(BIN)/pytest -n $(WORKERS) --dist loadgroup --durations=40

# One case of every quick test: for a look while working.
quick: $(VENV)/installed-dev $(VENV)/compiled
	$(BIN)/pytest -n 2 --quick

# The package as users install it: built, installed from the lock in an environment of its own, its demonstration run in an empty folder.
wheel: $(VENV)/installed-dev
	rm -rf build/wheel && mkdir -p build/wheel/empty
	$(BIN)/pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir build/wheel .
	$(PYTHON) -m venv build/wheel/venv
	build/wheel/venv/bin/pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements.lock
	build/wheel/venv/bin/pip install --quiet --disable-pip-version-check --no-deps build/wheel/*.whl
	cd build/wheel/empty && ../venv/bin/sdc demo --quiet && ls sdc-demo/outbox/*/MANIFEST.json

check: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/installed-dev $(VENV)/compiled
	for script in benchmarks/bench_*.py; do $(BIN)/python $$script || exit 1; done

# A few ratios to their floors, in a minute or two; fails where one is over three times that of benchmarks/baseline.json.
bench-quick: $(VENV)/installed-dev $(VENV)/compiled
	$(BIN)/python benchmarks/quick.py

# The manual as a site that needs no network: build/site/index.html.
docs: $(VENV)/installed-dev $(VENV)/compiled
	$(BIN)/sdc catalogue --markdown > docs/catalogue.md
	$(BIN)/python docs/manual/pages.py build/manual
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict --config-file docs/manual/mkdocs.yml
	@echo "the manual is build/site/index.html"

# The studies of the source documents: data drawn, profiles run, docs/studies.md written.
studies: $(VENV)/installed $(VENV)/compiled
	$(BIN)/python profiles/studies/make_sources.py
	$(BIN)/python profiles/studies/page.py

lock:
	$(BIN)/python -m uv pip compile pyproject.toml --universal --generate-hashes --no-header --no-annotate --no-emit-index-url --no-emit-find-links --extra encryption --extra formats --extra store --extra build -o requirements.lock
	$(BIN)/python -m uv pip compile pyproject.toml --universal --generate-hashes --no-header --no-annotate --no-emit-index-url --no-emit-find-links --extra encryption --extra formats --extra store --extra build --extra manual --extra dev -c requirements.lock -o requirements-dev.lock

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache
	find . -name __pycache__ -prune -exec rm -rf {} +
