# `make demo` and `make test` need only Python 3.11 or newer, pip and make: they set up .venv and install the built wheel there.
# Nothing is run from the checkout itself: what is tested is what a user would install. Types and imports are checked from within .venv,
# so that the folder neverlost of the checkout does not stand before the package that is installed.

SHELL := /bin/bash
PYTHON ?= $(firstword $(shell command -v python3.11 python3.12 python3.13 python3))
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check --no-input
FOLDERS := neverlost model spec explorer studies spark_explore conformance reports cli
SOURCES := pyproject.toml README.md LICENSE $(shell find $(FOLDERS) -type f -not -path '*/__pycache__/*')

# An edit in the checkout is seen by the next run. `make test` builds the wheel again as soon as a source has changed.
develop: $(VENV)/tools
	$(BIN)/python tools/develop.py

# The oldest version that pyproject.toml allows of each dependency, and the tests of the parts that use them.
lower-bounds: $(BIN)/python
	$(PYTHON) -m venv --clear build/lower-bounds
	build/lower-bounds/bin/python -m pip --quiet --disable-pip-version-check --no-input install uv
	build/lower-bounds/bin/uv pip install --quiet --python build/lower-bounds/bin/python --resolution lowest-direct '.[test]'
	build/lower-bounds/bin/pytest --quiet -n 2 --dist loadgroup tests/model tests/explorer/engines/test_compiled.py tests/explorer/traces/test_trace.py \
		tests/explorer/symbolic/test_translation.py tests/cli/test_cli.py tests/spark_explore tests/conformance/stateful tests/conformance/replication/test_adapter.py

# What takes too long for every change. Each is run through a script that records when it ran and with which result: docs/deeper-runs.md.
# What the target `golden` does is `do-golden`, and so on.
DEEPER := answers-check brokers golden golden-spark mutants proofs soak thorough

GOLDEN_TESTS := tests/explorer/test_golden.py tests/spec/kafka/test_bugs.py tests/spec/kafka/test_delays.py tests/spec/kafka/test_facts.py \
	tests/spec/kafka/test_harmless_states.py \
	tests/spec/test_claims.py tests/conformance/test_inprocess_mutants.py
PROOF_TESTS := tests/explorer/symbolic tests/spec/kafka/test_proofs.py tests/spec/kafka/transactions/test_proofs_of_transactions.py tests/spec/published
SPARK_TESTS := tests/spark_explore tests/docs/test_notebook.py

.PHONY: demo develop test test-all lint types imports browser axe tests conform-kafka conform-kafka-all soak-kafka matrix answers claims upstream bench bench-reach site screenshots format wheel clean lower-bounds $(DEEPER) $(addprefix do-,$(DEEPER))

# The name of make is in a variable, because `make -n` would run a line that says $(MAKE), and so record a run that did nothing.
MAKE_ONE := $(MAKE) --no-print-directory
$(DEEPER): %: $(VENV)/tools
	@$(BIN)/python tools/record_run.py $@ -- $(MAKE_ONE) do-$@

demo: $(VENV)/installed
	@echo; echo "1. A protocol that holds: KIP-320, in every state that three replicas can get into."; echo
	$(BIN)/neverlost check published/kip-320 --replicas 3 --log-size 2 --records 2 --leader-epochs 3
	@echo; echo "2. A loss, and its shortest story: Kafka 3.7, acks=all, min ISR 2, one power loss. Exit code 1 says that it is violated."; echo
	$(BIN)/neverlost check kafka-3.7 --acks all --min-isr 2 --power-losses 1 --symmetry --property acked_never_lost || [ $$? -eq 1 ]
	@echo; echo "3. An audit of a producer's, a topic's and a broker's configuration, with the change that prevents what it finds."; echo
	$(BIN)/neverlost audit examples/audit/acks-1/* || [ $$? -eq 1 ]

# Types take a minute of one processor, so they are checked while the tests run.
test: $(VENV)/tools
	$(MAKE) --no-print-directory -j 2 --output-sync=target lint imports browser
	$(MAKE) --no-print-directory -j 2 types tests

# Each part writes its own row, so that one that fails is run again alone.
test-all: thorough golden proofs golden-spark

do-thorough: lint types imports browser
	$(BIN)/pytest --quiet -n 2 --dist loadgroup --thorough $(addprefix --ignore=,$(GOLDEN_TESTS) $(PROOF_TESTS) $(SPARK_TESTS))

lint: $(VENV)/tools
	$(BIN)/ruff format --quiet --diff .
	$(BIN)/ruff check --quiet .

types: $(VENV)/tools
	cd $(VENV) && bin/mypy --config-file ../pyproject.toml --cache-dir ../.mypy_cache -p neverlost
	cd $(VENV) && bin/mypy --config-file ../pyproject.toml --cache-dir ../.mypy_cache ../examples/*.py

imports: $(VENV)/tools
	cd $(VENV) && bin/lint-imports --config ../pyproject.toml --no-cache --no-logo > imports.txt || { cat imports.txt; exit 1; }

# Pages are looked at in Debian's Chromium. It is installed where that needs no password; elsewhere those tests say what they skip.
browser:
	@command -v chromium chromium-browser google-chrome > /dev/null \
		|| { [ "$$(id -u)" = 0 ] && apt-get -qq update && apt-get -qq install --yes --no-install-recommends chromium; } > $(VENV)/browser.log 2>&1 \
		|| echo "Chromium is not installed, so no page is looked at in a browser. On Debian: apt-get install chromium"

# What looks at pages for people who cannot see them, or use no mouse: tests/pages/test_accessibility.py.
axe:
	npm install --silent --no-audit --no-fund --prefix build/axe axe-core

# Asserts are not rewritten, which takes each worker ten seconds: what has failed shows its variables.
tests: $(VENV)/tools
	$(BIN)/pytest --quiet -n 2 --dist loadgroup --assert=plain --showlocals

do-golden: $(VENV)/tools
	$(BIN)/pytest --quiet -n 2 --dist loadgroup --thorough $(GOLDEN_TESTS)

do-proofs: $(VENV)/tools
	$(BIN)/pytest --quiet -n 2 --dist loadgroup --thorough $(PROOF_TESTS)

conform-kafka: $(VENV)/tools
	$(BIN)/neverlost known --kafka 0.10.2.2 --kafka 1.1.1 --kafka 2.0.1 --kafka 3.9.1 --kafka 4.1.1

conform-kafka-all: $(VENV)/tools
	$(BIN)/neverlost known --times 3

# Goes on where soak.ndjson ends. Clusters of both kinds run side by side: one with ZooKeeper leaves most of two cores idle, and six
# at once end sessions of brokers that live.
SOAK_STEPS ?= 120
SOAK_TIME ?= 5m
# Or --clients, --brokers 5.
SOAK_KIND ?=
soak-kafka: $(VENV)/tools
	(for release in 3.1.2 3.3.2 3.4.1 3.5.2 3.6.2 3.7.2 3.9.0 3.9.1 3.9.2 4.0.0 4.0.1 4.1.1 4.1.2 4.2.0 4.2.1 4.3.1 4.4.0; do \
		$(BIN)/neverlost soak --kafka $$release --mode kraft --steps $(SOAK_STEPS) $(SOAK_KIND) --time $(SOAK_TIME) --out soak.ndjson; done) & \
	for release in 0.8.2.1 0.9.0.0 0.9.0.1 0.10.1.1 0.10.2.2 0.11.0.3 1.1.1 2.0.0 2.0.1 2.1.1 2.5.1 2.7.2 2.8.0 2.8.2 3.0.2 \
		3.1.2 3.3.2 3.4.1 3.5.2 3.6.2 3.7.2 3.9.0 3.9.1 3.9.2; do \
		$(BIN)/neverlost soak --kafka $$release --mode zookeeper --steps $(SOAK_STEPS) $(SOAK_KIND) --time $(SOAK_TIME) --out soak.ndjson; done; wait

do-brokers: $(VENV)/tools
	$(BIN)/pytest --quiet --brokers tests/conformance/cluster

do-golden-spark: $(VENV)/tools
	$(BIN)/pytest --quiet --thorough $(SPARK_TESTS)

matrix: $(VENV)/installed
	$(BIN)/neverlost matrix --markdown docs/matrix.md

answers: $(VENV)/tools
	$(BIN)/python tools/shipped_answers.py

do-answers-check: $(VENV)/tools
	$(BIN)/python tools/shipped_answers.py --check

claims: $(VENV)/tools
	$(BIN)/python tools/claims_ledger.py

do-mutants: $(VENV)/tools
	$(BIN)/python tools/kafka_mutant_search.py
	$(BIN)/python tools/inprocess_mutant_search.py
	$(BIN)/python tools/history_mutant_search.py
	$(BIN)/python tools/held_out_mutant_search.py
	NEVERLOST_REWRITE=1 $(BIN)/pytest --quiet tests/spec/test_kafka_mutants.py tests/conformance -k page

# Tests of docs/upstream that fail on a released Kafka, and whether they fail as the reports say. Needs Java 17 and Maven.
upstream: $(BIN)/python
	@mkdir -p build
	mvn --batch-mode --file docs/upstream/tests/pom.xml clean test -Dmaven.test.failure.ignore=true > build/upstream.log 2>&1 || { tail -50 build/upstream.log; exit 1; }
	$(BIN)/python tools/upstream_tests.py

do-soak: $(VENV)/tools
	$(BIN)/pytest --quiet -n 2 --soak-steps 20000 tests/conformance/replication/test_adapter.py -k random_walks
	$(BIN)/pytest --quiet --timer-million tests/conformance/inprocess/test_timer.py
	$(BIN)/pytest --quiet -n 2 --thorough tests/explorer/answers/test_poisoned_caches.py tests/spark_explore/test_poisoned_stores.py
	$(BIN)/pytest --quiet -n 2 -rP --damaged-inputs 20000 tests/cli/test_damaged_inputs.py

bench: $(VENV)/tools
	@for script in $(filter-out %/bench_reach.py %/bench_five_replicas.py, $(wildcard benchmarks/bench_*.py)); do $(BIN)/python "$$script" || exit 1; done

# A billion states and more, and five replicas of every version: more than an hour, 20 GiB of memory and 20 GiB of disk.
bench-reach: $(VENV)/tools
	$(BIN)/python benchmarks/bench_reach.py
	$(BIN)/python benchmarks/bench_five_replicas.py

site: $(VENV)/site
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "Open build/site/index.html"

screenshots: $(VENV)/tools browser
	$(BIN)/python tools/screenshots.py

format: $(VENV)/tools
	$(BIN)/ruff format --quiet .
	$(BIN)/ruff check --quiet --fix .

wheel: $(VENV)/installed

clean:
	rm -rf $(VENV) build docs/upstream/tests/target .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@"$(PYTHON)" -c 'import sys; sys.exit("neverlost needs Python 3.11 or newer; set PYTHON=... to one" if sys.version_info < (3, 11) else 0)'
	@echo "Setting up $(VENV)"
	@"$(PYTHON)" -m venv $(VENV)

# The wheel is built from a copy, so that the checkout stays clean and no earlier build leaves files in it. What `make develop` linked is
# removed first: pip would follow the links, and write into the checkout.
$(VENV)/installed: $(BIN)/python $(SOURCES)
	@echo "Building and installing neverlost"
	@rm -rf $(VENV)/build && mkdir -p $(VENV)/build
	@cp -R pyproject.toml README.md LICENSE $(FOLDERS) $(VENV)/build/
	@$(PIP) wheel --no-deps --wheel-dir $(VENV)/build/wheel $(VENV)/build
	@rm -rf $(VENV)/lib/python*/site-packages/neverlost
	@$(PIP) install $(VENV)/build/wheel/neverlost-*.whl
	@$(PIP) install --force-reinstall --no-deps $(VENV)/build/wheel/neverlost-*.whl
	@touch $@

$(VENV)/tools: $(VENV)/installed
	@$(PIP) install "$$(ls $(VENV)/build/wheel/neverlost-*.whl)[test]"
	@touch $@

$(VENV)/site: $(VENV)/installed
	@$(PIP) install "$$(ls $(VENV)/build/wheel/neverlost-*.whl)[site]"
	@touch $@
