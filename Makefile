# Two commands are all you need:  make app  and  make test
# They create .venv and install what pyproject.toml pins.

PYTHON ?= python3
BIN = .venv/bin

.PHONY: app test check clean

app: .venv/ready
	$(BIN)/streamlit run app/main.py

test: .venv/ready check
	$(BIN)/pytest

check: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

clean:
	rm -rf .venv *.egg-info

.venv/ready: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check -e ".[dev]"
	touch $@
