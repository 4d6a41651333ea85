"""Style sheets: each is served, and colors and sizes come from the design tokens."""

import re

from django.conf import settings

FOLDER = settings.BASE / "static" / "css"
SHEETS = {path.name: path.read_text() for path in FOLDER.glob("*.css")}
SHEET = SHEETS.pop("site.css")


def test_every_style_sheet_is_imported_and_every_import_exists():
    assert sorted(re.findall(r'^@import url\("(.+)"\);$', SHEET, re.MULTILINE)) == sorted(SHEETS)


def test_every_design_token_is_defined_and_used():
    known = set(re.findall(r"(--[a-z0-9-]+):", SHEETS["tokens.css"]))
    used = {token for text in SHEETS.values() for token in re.findall(r"var\((--[a-z0-9-]+)", text)}
    assert used - known == set()
    assert known - used == set()


def test_colors_are_declared_only_as_tokens():
    others = {
        name: text for name, text in SHEETS.items() if name not in ("tokens.css", "print.css")
    }
    assert [
        name for name, text in others.items() if re.search(r"#[0-9a-f]{3,8}\b(?![\"')])", text)
    ] == []
