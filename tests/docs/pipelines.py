"""GitHub and GitLab pipeline files, validated against their published schemas."""

import json
from importlib.resources import files
from typing import Any

import jsonschema
import yaml

_VENDORED = files("check_jsonschema") / "builtin_schemas" / "vendor"


def problems_by(schema: str, value: Any) -> list[str]:
    text = (_VENDORED / f"{schema}.json").read_text(encoding="utf-8")
    validator = jsonschema.Draft7Validator(json.loads(text))
    return [f"{each.json_path}: {each.message}" for each in validator.iter_errors(value)]


def pipeline_problems(text: str) -> list[str]:
    """Problems of a GitHub workflow or a GitLab pipeline."""
    # YAML 1.1 reads `on` as true; both systems read it as a string.
    value = {"on" if name is True else name: each for name, each in yaml.safe_load(text).items()}
    if "jobs" in value:
        return problems_by("github-workflows", value)
    return problems_by("gitlab-ci", value)
