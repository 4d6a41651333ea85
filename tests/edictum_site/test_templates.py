"""Templates compile, and comply with the content security policy."""

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.template.backends.django import get_installed_libraries
from django.template.library import import_library
from django.template.loader import get_template

FOLDER = settings.BASE / "templates"
TEMPLATES = sorted(FOLDER.rglob("*.html"))
SPRITE = (settings.BASE / "static" / "icons.svg").read_text()
FORBIDDEN = {
    "a style attribute": re.compile(r"\sstyle=", re.I),
    "a style element": re.compile(r"<style", re.I),
    "an inline script": re.compile(r"<script(?![^>]*\ssrc=)", re.I),
    "a handler in an attribute": re.compile(r"\s(on[a-z]+|hx-on[:a-z-]*)=", re.I),
    "a script in a value": re.compile(r"javascript:|hx-vals=[\"']js:", re.I),
    "a filter in a trigger": re.compile(r"hx-trigger=[\"'][^\"']*\["),
}


def name(path: Path) -> str:
    return str(path.relative_to(FOLDER))


def names_in(library: str) -> set[str]:
    result = import_library(get_installed_libraries()[library])
    return {*result.tags, *result.filters}


@pytest.mark.parametrize("path", TEMPLATES, ids=name)
def test_a_template_has_nothing_that_the_content_security_policy_forbids(path):
    text = path.read_text()
    assert [what for what, form in FORBIDDEN.items() if form.search(text)] == []


@pytest.mark.parametrize("path", TEMPLATES, ids=name)
def test_a_template_compiles(path):
    get_template(name(path))


@pytest.mark.parametrize("path", TEMPLATES, ids=name)
def test_every_icon_in_a_template_exists(path):
    named = re.findall(r'{% (?:icon|mark) "([a-z-]+)"', path.read_text())
    assert [icon for icon in named if f'<symbol id="{icon}"' not in SPRITE] == []


@pytest.mark.parametrize("path", TEMPLATES, ids=name)
def test_a_template_loads_no_unused_tag_libraries(path):
    text = path.read_text()
    loaded = " ".join(re.findall(r"{% load ([^%]*) %}", text)).split()
    words = set(re.findall(r"(?:{% |\|)(\w+)", text))
    assert [each for each in loaded if words.isdisjoint(names_in(each))] == []


def test_htmx_settings_forbid_code_in_responses():
    base = (FOLDER / "base.html").read_text()
    for setting in (
        '"includeIndicatorStyles": false',
        '"allowEval": false',
        '"allowScriptTags": false',
        '"historyCacheSize": 0',
    ):
        assert setting in base


def test_template_indentation_is_stripped():
    source = get_template("calls/_call_rows.html").template.source  # type: ignore[attr-defined]  # of Django
    assert "  <" not in source
    assert "\n <" not in source
