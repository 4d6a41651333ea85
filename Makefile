# One word per task. Everything is installed into .venv, and nothing but what the lock files name.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: run setup setup-dev venv

run: setup
	@exec $(BIN)/python manage.py up

setup: venv
	$(call installed,requirements.txt)

setup-dev: setup
	$(call installed,requirements-dev.txt)

# An environment is bound to the interpreter that made it: one that does not start is made anew.
venv:
	@$(BIN)/python -c 'import pip' 2>/dev/null || { \
	  $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	    || { echo 'Python 3.11 or newer is needed: make PYTHON=python3.12 run'; exit 1; }; \
	  $(PYTHON) -c 'import ensurepip, venv' 2>/dev/null \
	    || { echo 'Python lacks venv. On Debian: apt install python3-venv'; exit 1; }; \
	  rm -rf .venv && $(PYTHON) -m venv .venv; }

# The stamp is a copy of what was installed: a checkout changes dates, not contents.
define installed
@cmp -s $(1) .venv/$(1) || { echo 'Installing what $(1) names …'; \
  $(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check --require-hashes -r $(1) \
  && cp $(1) .venv/$(1); }
endef
