"""The style sheets: each is served, and colours and sizes come from the table of tokens."""

import re

from django.conf import settings

FOLDER = settings.BASE / "static" / "css"
SHEETS = {path.name: path.read_text() for path in FOLDER.glob("*.css")}
SHEET = SHEETS.pop("site.css")


def test_every_sheet_is_named_and_every_name_has_its_sheet():
    assert sorted(re.findall(r'^@import url\("(.+)"\);$', SHEET, re.MULTILINE)) == sorted(SHEETS)


def test_every_value_that_is_used_is_in_the_table():
    known = set(re.findall(r"(--[a-z0-9-]+):", SHEETS["tokens.css"]))
    used = {token for text in SHEETS.values() for token in re.findall(r"var\((--[a-z0-9-]+)", text)}
    assert used - known == set()
    assert known - used == set()


def test_colours_are_declared_only_in_the_table():
    others = {
        name: text for name, text in SHEETS.items() if name not in ("tokens.css", "print.css")
    }
    assert [
        name for name, text in others.items() if re.search(r"#[0-9a-f]{3,8}\b(?![\"')])", text)
    ] == []
