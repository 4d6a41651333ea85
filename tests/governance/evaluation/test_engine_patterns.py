"""Catastrophic regular expressions, and only those, are reported when a contract is saved."""

import json

import pytest

from tests.governance.contracts.documents import EVIL, document, pre

HOPELESS = [
    r"^(a+)+$",
    r"(a*)*b",
    r"(a|aa)+$",
    r"(?:ab|a|b)*c",
    r"^(\w+\s?)*$",
    r"(.*)*x",
    r"(x+x+)+y",
    r"^([a-zA-Z0-9]+)*@",
    r"(\d+)*\.$",
    r"^(([a-z])+.)+[A-Z]([a-z])+$",
    r"^(?:[^,]*,?)*;$",
    r'^"(\\.|[^"])*"$',
    r"(?:\s|\S+\s*)*END",
    r"(.|\s)*x",
    r"^(https?:\/\/)?([\w.-]+)*\/$",
    r"(?i)(select\s*)*from\s*(\w+\s*)+;",
    r"a*a*a*a*a*a*a*b",
    r"^(([^<>()\[\]]+)(\.[^<>()\[\]]+)*)+@",
    r"(?=(a+)+!)b",
    r"(?:a+?)+?b$",
    r"([^\s]+\s?)+$",
    r"(a?){30}a{30}b",
    r"^(\d+|\d+,)+$",
    r"((ab)*|(aba)*)*c",
    r"token: (?:[a-z]+-?)+#",
]
USUAL = [
    r"\brm\s+(-rf?|--recursive)\b",
    r"\b\d{3}-\d{2}-\d{4}\b",
    r"AKIA[0-9A-Z]{16}",
    r"^https?://",
    r"[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}",
    r"^\w+([-+.']\w+)*@\w+([-.]\w+)*\.\w+([-.]\w+)*$",
    r"^(?:\d{1,3}\.){3}\d{1,3}$",
    r"(?i)\b(password|passwd|secret|token)\b\s*[:=]\s*\S+",
    r"-----BEGIN (?:RSA |EC )?PRIVATE KEY-----",
    r"^[a-z0-9]+(?:-[a-z0-9]+)*$",
    r"select\s+.*\s+from\s+.*\s+where\s+.*",
    r"^\s+|\s+$",
    r"\b(?:\d[ -]*?){13,16}\b",
    r"^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2})?Z?)?$",
    r"\.(env|pem|key)$",
    r"curl.*\|\s*(ba)?sh",
    r"(?:[01]\d|2[0-3]):[0-5]\d",
    r"\$\{?[A-Z_]+\}?",
    r"^(?!.*\.\.).*$",
    r"(\w+) \1",
    r"^([a-z]+,)*[a-z]+$",
    r"(a|b)*c",
    r"^(/[^/]+)*$",
    r'"(\\.|[^"\\])*"',
    r"(?:sk|pk)_(?:test|live)_[0-9a-zA-Z]{24,}",
]


def named(engine, pattern: str) -> list[str]:
    text = document(pre(f"{{args.x: {{matches: {json.dumps(pattern)}}}}}"))
    return [warning.message for warning in engine.validate(text).warnings]


@pytest.mark.parametrize("pattern", HOPELESS)
def test_a_catastrophic_pattern_is_a_warning_not_an_error(engine, pattern):
    (message,) = named(engine, pattern)
    assert message.startswith(f"`{pattern}` backtracks without limit")


@pytest.mark.parametrize("pattern", USUAL)
def test_an_ordinary_pattern_has_no_warning(engine, pattern):
    assert named(engine, pattern) == []


def test_the_position_of_the_pattern_is_reported(engine):
    several = pre("{not: {args.x: {matches_any: ['a', '(b+)+$']}}}", rule_id="b")
    first, second = engine.validate(EVIL + "\n  - " + several).warnings
    assert (first.path, first.line) == ("rules[0].when.args.x.matches", 7)
    assert (second.path, second.line) == ("rules[1].when.not.args.x.matches_any[1]", 8)


def test_many_catastrophic_patterns_stay_within_the_documents_time_budget(engine):
    patterns = [f"'(({letter * n})+)+$'" for letter in "bcdef" for n in range(1, 30)]
    text = document(pre(f"{{args.x: {{matches_any: [{', '.join(patterns)}]}}}}"))
    validation = engine.validate(text)
    assert validation.valid
    assert 0 < len(validation.warnings) <= len(patterns)


def test_a_slow_pattern_stays_within_the_documents_time_budget(engine):
    """By itself it would run for ten seconds, which exceeds its document's budget."""
    repeats = "|".join(f"(?:{chr(0x4E00 + number)}+,)*" for number in range(200))
    text = document(pre(f"{{args.x: {{matches: '(?:{repeats}).*.*!'}}}}"))
    assert engine.validate(text).valid
