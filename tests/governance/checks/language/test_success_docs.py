"""docs/success.md is accurate about checks, selectors and operators."""

import json
import re
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest
import yaml

from governance.checks.language import automata, pattern_table, rules, text
from governance.checks.language.matcher import Explanation, build
from governance.checks.language.operators import COMBINED, OPERATORS, OPTIONS
from governance.checks.language.shipped import shipped
from governance.checks.language.text import check_text
from governance.matching import call, selectors
from governance.texts import yaml_text

PAGE = (Path(__file__).parents[4] / "docs" / "success.md").read_text()
CODE = re.compile(r"`((?:\\\||[^`])*)`")
MISSING = "missing"


def texts() -> list[str]:
    return re.findall(r"^```yaml\n(.*?)^```", PAGE, re.M | re.S)


def table(*columns: str) -> list[list[str]]:
    """Rows of the table with these columns."""
    head = f"| {' | '.join(columns)} |\n"
    assert PAGE.count(head) == 1
    below = PAGE.partition(head)[2].splitlines()[1:]
    lines = takewhile(lambda line: line.startswith("|"), below)
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


def codes(cell: str) -> list[str]:
    return [code.replace("\\|", "|") for code in CODE.findall(cell)]


def explanation_of(when: Any, result: Any) -> Explanation:
    rule = {"id": "met", "when": when, "verdict": "success"}
    document = {
        "apiVersion": "edictum-site/v1",
        "kind": "SuccessCheck",
        "metadata": {"name": "shown"},
        "otherwise": "failure",
        "rules": [rule],
    }
    checked = check_text(yaml.safe_dump(document, allow_unicode=True), included=lambda name: None)
    assert [str(problem) for problem in checked.problems] == []
    assert checked.compiled is not None
    return build(checked.compiled)("tool", result, None)


@pytest.mark.parametrize("shown", texts())
def test_every_check_in_the_docs_is_valid(shown):
    checked = check_text(shown, included=shipped().get)
    assert [str(problem) for problem in checked.problems] == []
    assert checked.examples


@pytest.mark.parametrize(("selector", "result", "value"), table("selector", "in this result", "is"))
def test_documented_selectors_return_the_documented_values(selector, result, value):
    (selector,), (result,) = codes(selector), map(json.loads, codes(result))
    if value == MISSING:
        assert explanation_of({selector: {"exists": False}}, result).rule == "met"
        assert explanation_of({selector: {"type": "null"}}, result).rule == "otherwise"
    else:
        (shown,) = map(json.loads, codes(value))
        assert explanation_of({selector: {"equals": shown}}, result).rule == "met"


@pytest.mark.parametrize(
    ("condition", "met", "not_met"), table("condition", "true for", "false for")
)
def test_documented_conditions_match_the_documented_results(condition, met, not_met):
    (written,) = codes(condition)
    when = yaml.safe_load(written)
    assert codes(met)
    for result in map(json.loads, codes(met)):
        assert explanation_of(when, result).rule == "met", result
    for result in map(json.loads, codes(not_met)):
        assert explanation_of(when, result).rule == "otherwise", result


def test_the_docs_cover_every_operator_and_option():
    conditions = " ".join(cells[0] for cells in table("condition", "true for", "false for"))
    words = set(re.findall(r"\b[a-z_]+(?=:)", conditions))
    assert {*OPERATORS, *OPTIONS, *COMBINED} - words == set()


def test_the_docs_state_the_current_limits():
    result = "\n".join(" | ".join(cells) for cells in table("of", "at most"))
    for number in (
        *(f"{text.MAX_BYTES // 1024} KiB", f"nested {yaml_text.MAX_DEPTH} deep"),
        *(f"{rules.MOST} of its own", f"{rules.MOST_WITH_INCLUDED:,} with those of includes"),
        *(f"{pattern_table.LONGEST:,} characters", f"{automata.MOST_STATES:,} states"),
        f"{pattern_table.MOST_STATES:,} states for all",
        *(f"{call.TEXT:,} characters are read", f"nested {selectors.DEEPEST_JSON} deep"),
        f"{call.WORK:,} characters read by a regular expression",
    ):
        assert number in result


def test_the_docs_name_every_built_in_check():
    named = {name for cells in table("for", "checks") for name in codes(cells[1])}
    assert named == set(shipped())


def test_every_link_in_the_docs_resolves():
    headings = {
        re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
        for heading in re.findall(r"^#+ (.+)$", PAGE, re.M)
    }
    for target in re.findall(r"\]\(([^)]+)\)", PAGE):
        if target.startswith("#"):
            assert target[1:] in headings
        else:
            assert (Path(__file__).parents[4] / "docs" / target.partition("#")[0]).exists()
