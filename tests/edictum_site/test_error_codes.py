"""docs/api.md lists exactly the error codes that the product returns."""

import re

from tests.edictum_site.refusals import ROOT, Refused, item_errors, request_errors

_ROW = re.compile(r"^\| (\d{3}) \| (.+) \|$", re.MULTILINE)
_CODE = re.compile(r"`(\w+)`")


def part(title: str) -> str:
    text = (ROOT / "docs/api.md").read_text()
    return text.partition(f"## {title}\n")[2].partition("\n## ")[0]


def test_the_docs_list_every_error_code_with_its_status():
    names = {
        Refused(int(status), code)
        for status, codes in _ROW.findall(part("Errors"))
        for code in _CODE.findall(codes.partition(" | ")[0])
    }
    result = request_errors()
    assert sorted(result - names) == [], "write these into the table of errors in docs/api.md"
    assert sorted(names - result) == [], "nothing is refused with these any more"


def test_the_docs_list_every_item_error_code():
    listed = part("Errors").partition("A rejected item")[2].partition("\n\n")[0]
    assert set(_CODE.findall(listed.partition(":")[2])) == item_errors()
