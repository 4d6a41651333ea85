"""The security guide: each promise names existing tests, and each question has an answer."""

import re

from django.conf import settings

GUIDE = "docs/security.md"
_TEST = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")


def text() -> str:
    return (settings.BASE / GUIDE).read_text("utf-8")


def promises() -> list[str]:
    section = text().partition("\n## Promises\n")[2].partition("\n## ")[0]
    return [line for line in section.splitlines() if line.startswith("|")][2:]


def defines(file: str, test: str) -> bool:
    path = settings.BASE / file
    return path.is_file() and f"\ndef {test}(" in path.read_text("utf-8")


def test_every_security_promise_names_existing_tests():
    lines = promises()
    assert len(lines) > 30
    assert [line for line in lines if not _TEST.search(line)] == []
    named = [match.groups() for line in lines for match in _TEST.finditer(line)]
    assert [each for each in named if not defines(*each)] == []
    assert text().count("::test_") == len(named)


def test_the_security_guide_answers_forty_questions():
    answers = re.findall(r"^(\d+)\. \*.+\?\* \S", text(), re.MULTILINE)
    assert [int(number) for number in answers] == list(range(1, 41))
