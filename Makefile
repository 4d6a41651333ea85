# One target per task. Everything is installed into .venv, and only what the lock files pin.
PYTHON ?= python3
BIN := .venv/bin
DIST := dist
DRILLS := test-sqlite-drills
SQLITE := test-sqlite-site test-sqlite-outcomes test-sqlite-governance
JOURNEYS := test-sqlite-journeys-1 test-sqlite-journeys-2
POSTGRES := test-postgres-1 test-postgres-2
PARTS := $(JOURNEYS) $(DRILLS) test-postgres-journeys test-postgres-1 test-sqlite-site test-postgres-2 \
  test-sqlite-outcomes test-sqlite-governance
# A test run compiles hundreds of modules that its processes load again: keep the bytecode.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: run dev demo wheel sbom audit pictures setup setup-dev venv test $(PARTS) test-fast test-sdks examples check fix kill hosts soak browser result-shapes

run: setup
	@exec $(BIN)/python manage.py up

# For development: debug pages, templates read on each request, restart when Python code changes.
dev: setup-dev
	@exec $(BIN)/python -m edictum_site.stack.dev

# Two weeks of simulated agents, in the running console or in one that this starts.
demo: setup
	@exec $(BIN)/python manage.py demo

# The product as one file that needs no checkout. The same source gives the same bytes.
wheel: setup-dev
	@$(BIN)/python -m hatchling build -t wheel -d $(DIST)

# The bill of materials of a release: each pinned library with its hashes, in CycloneDX format.
sbom: setup-dev
	@mkdir -p $(DIST)
	@$(BIN)/python -W ignore::UserWarning -m cyclonedx_py requirements --pyproject pyproject.toml \
	  --output-reproducible --output-file $(DIST)/edictum_site.cdx.json requirements.txt

# Check pinned versions for known vulnerabilities: the list in tests/advisories, or OSV with ONLINE=1.
audit: setup-dev
	@$(BIN)/python -m tests.advisories $(if $(ONLINE),--online)

setup: venv
	$(call installed,requirements.txt)

setup-dev: setup
	$(call installed,requirements-dev.txt)

# The checks, all tests on SQLite and, on PostgreSQL, those that involve the database. Parts that often
# wait start first: journeys, then drills. CPU-bound parts follow at lower priority (`nice`), so that two
# cores are busy until the end and no journey waits for a test that could wait instead.
test: setup-dev browser
	@echo 'Checking, and testing on SQLite and on PostgreSQL, side by side; each part prints its output at its end …'
	@$(MAKE) --no-print-directory --output-sync=target --keep-going -j4 $(PARTS) check

# Tests that a commit must pass in addition to the checks: no browser, no second database, no running
# product, nothing else marked slow.
test-fast: setup-dev
	@$(MAKE) --no-print-directory --output-sync=target --keep-going -j2 $(SQLITE) $(DRILLS) CHOSEN='-m "not slow"'

PYTEST := $(BIN)/python -m pytest -q
SITE := tests/edictum_site
STARTED := tests/hosts tests/kill tests/docs tests/sdks clients/python/tests
# `make check` runs test_house.py.
ELSEWHERE := $(SITE) $(STARTED) tests/outcomes tests/journeys tests/test_house.py

test-sqlite-outcomes:
	@nice $(PYTEST) $(CHOSEN) tests/outcomes

# The product as users run it: on several hosts, killed, by the docs, with agents of each SDK.
$(DRILLS):
	@nice $(PYTEST) $(CHOSEN) $(STARTED)

test-sqlite-site:
	@nice $(PYTEST) $(CHOSEN) $(SITE)

# Everything that no other part runs, so that no test is forgotten. By pattern, because pytest does not
# ignore a folder in `testpaths` itself, and would run the client's tests here too.
test-sqlite-governance:
	@nice $(PYTEST) $(CHOSEN) $(ELSEWHERE:%=--ignore-glob='%*')

$(JOURNEYS): test-sqlite-journeys-%:
	@$(PYTEST) --part $*/2 tests/journeys

$(POSTGRES): test-postgres-%:
	@nice $(PYTEST) --postgres --part $*/2 --ignore=tests/journeys

test-postgres-journeys:
	@$(PYTEST) --postgres tests/journeys

# Agents on every version of the SDK; `make test` runs one of each generation.
test-sdks: setup-dev
	@sqlite=0; postgres=0; export SDKS=all; \
	$(BIN)/python -m pytest -q tests/sdks clients/python/tests/test_versions.py || sqlite=$$?; \
	$(BIN)/python -m pytest -q --postgres tests/sdks || postgres=$$?; \
	exit $$((sqlite | postgres))

# Property tests with new random examples instead of the fixed ones.
examples: setup-dev
	@sqlite=0; postgres=0; \
	$(BIN)/python -m pytest -q -m hypothesis --hypothesis-profile=others || sqlite=$$?; \
	$(BIN)/python -m pytest -q -m hypothesis --hypothesis-profile=others --postgres || postgres=$$?; \
	exit $$((sqlite | postgres))

# The long drill: every process is killed twenty times per database while items are posted, and the
# workers of each queue while jobs run.
kill: setup-dev
	@$(BIN)/python -m tests.kill
	@$(BIN)/python -m tests.kill --postgres

# Three hosts as network namespaces: one is lost permanently, one is cut off, one has a wrong clock.
hosts: setup-dev
	@$(BIN)/python -m tests.hosts

# Half an hour of load with faults per database, with artifacts in a bucket: processes killed, Redis
# hung, PostgreSQL restarted, a full disk, the object store unavailable or slow. Prints a ledger.
soak: setup-dev
	@$(if $(SHORT),,$(BIN)/python -m tests.soak)
	@$(BIN)/python -m tests.soak --postgres $(if $(SHORT),--minutes 1.2 --items 40 --every 5 --streams 40 --old 400 --seed 3)

# The table of verdicts that built-in checks give to sample outputs; a test keeps it up to date.
result-shapes: setup-dev
	@$(BIN)/python -m tests.governance.checks.language.shapes

TEMPLATES := git ls-files -z '*.html' | xargs -0
# On the path of every agent post, reading META is faster than building all headers.
KEPT := --skip request_headers
SOURCES := git ls-files -z '*.py' | xargs -0

check: setup-dev
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy .
	@$(BIN)/lint-imports --no-logo
	@$(TEMPLATES) $(BIN)/djade --target-version 5.2 --check
	@$(SOURCES) $(BIN)/django-upgrade --target-version 5.2 $(KEPT) --check
	@$(BIN)/deptry .
	@$(call with-data,makemigrations --check --dry-run)
	@EDICTUM_SITE_HTTPS=1 $(call with-data,check --deploy --fail-level WARNING)
	@$(BIN)/python -m pytest -q tests/test_house.py

fix: setup-dev
	@$(BIN)/python -m clients.python.copy_matcher
	@$(BIN)/ruff format .
	-@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .
	-@$(TEMPLATES) $(BIN)/djade --target-version 5.2
	-@$(SOURCES) $(BIN)/django-upgrade --target-version 5.2 $(KEPT)

# Loading settings creates their data folder: read-only commands create it in the cache.
with-data = EDICTUM_SITE_DATA=.cache/check DATABASE_URL= $(BIN)/python manage.py $(1)

# The journeys need a browser; without one they are skipped, and say what to install. The headless shell
# needs half of the CPU time. If a Chromium exists, installing the shell is tried once and may fail.
INSTALL := apt-get install -y --no-install-recommends
browser:
	@mkdir -p .cache; any() { for name; do command -v $$name && return; done; return 1; } >/dev/null; \
	other() { any chromium chromium-browser google-chrome; }; \
	any chromium-headless-shell || { other && test -e .cache/chromium.log; } && exit 0; \
	test "$$(id -u)" = 0 && command -v apt-get >/dev/null || exit 0; \
	echo 'Installing Chromium …'; \
	{ apt-get update -o Acquire::Retries=0 -o Acquire::http::Timeout=20; \
	  $(INSTALL) chromium-headless-shell || other || $(INSTALL) chromium; } >.cache/chromium.log 2>&1 \
	  || echo 'It could not be installed: see .cache/chromium.log'

# A venv is bound to the interpreter that created it: recreate one that does not start.
venv:
	@$(BIN)/python -c 'import pip' 2>/dev/null || { \
	  $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	    || { echo 'Python 3.11 or newer is needed: make PYTHON=python3.12 run'; exit 1; }; \
	  $(PYTHON) -c 'import ensurepip, venv' 2>/dev/null \
	    || { echo 'Python lacks venv. On Debian: apt install python3-venv'; exit 1; }; \
	  rm -rf .venv && $(PYTHON) -m venv .venv; }

# The stamp is a copy of the installed lock file, because a checkout changes dates but not contents.
define installed
@cmp -s $(1) .venv/$(1) || { echo 'Installing what $(1) names …'; \
  $(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check --require-hashes -r $(1) \
  && cp $(1) .venv/$(1); }
endef

.PHONY: bench bench-full bench-quick bench-stalls memory streams

# Load and limits on both databases, as reported in docs/performance.md, and pages over a million
# calls: takes a quarter of an hour or more; bench-quick takes a minute.
bench: setup-dev
	@$(BIN)/python -m bench
	@$(BIN)/python -m bench.stalls
	@$(BIN)/python -m bench.pages

# A post and a health request during validations and slow export downloads, on both databases.
bench-stalls: setup-dev
	@$(BIN)/python -m bench.stalls

# Pages over one and over ten million calls, on PostgreSQL; loaded data is kept in .cache/pages.
bench-full: setup-dev
	@$(BIN)/python -m bench.pages --full

bench-quick: setup-dev
	@$(BIN)/python -m bench --quick

memory: setup-dev
	@$(BIN)/python -m bench.memory

streams: setup-dev
	@$(BIN)/python -m bench.streams

# Screenshots of every page, with a demo's traffic, into a folder that is not committed.
pictures: setup-dev browser
	@$(BIN)/python -m tests.pictures
