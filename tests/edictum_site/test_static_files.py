"""Static files: only the editor files that pages load, and the files those refer to."""

import os
import re

from django.contrib.staticfiles.finders import get_finders
from django.core.files.storage import FileSystemStorage

from edictum_site.static_files import Sheets

SERVED: dict[str, FileSystemStorage] = {
    name: storage for finder in get_finders() for name, storage in finder.list([])
}
FOLDER = "django_ace/ace/"


def test_only_the_required_editor_files_are_served():
    assert {f"{FOLDER}ace.js", f"{FOLDER}mode-yaml.js", f"{FOLDER}css/ace.css"} <= set(SERVED)
    assert len([name for name in SERVED if name.startswith("django_ace/")]) < 60


def test_files_in_the_editors_style_sheet_are_served():
    sheet = f"{FOLDER}css/ace.css"
    with SERVED[sheet].open(sheet) as file:
        named = re.findall(r"url\(['\"]?\./([^'\")]+)", file.read().decode())
    assert named
    assert {f"{FOLDER}css/{name}" for name in named} <= set(SERVED)


def test_all_of_our_files_are_served_and_style_sheets_are_combined():
    assert {"css/site.css", "js/app.js", "icons.svg"} <= set(SERVED)
    assert [name for name in SERVED if name.startswith("css/")] == ["css/site.css"]
    with SERVED["css/site.css"].open("css/site.css") as file:
        sheet = file.read().decode()
    assert "@import" not in sheet
    first, last = (sheet.index(part) for part in ("--canvas:", "@media print"))
    assert first < last


def test_the_combined_style_sheet_has_the_latest_modification_time(tmp_path):
    folder = tmp_path / "css"
    folder.mkdir()
    (folder / "site.css").write_text(
        '/* All. */\n@import url("one.css");\n@import url("two.css");\n'
    )
    (folder / "one.css").write_text("a {\n  color: red;\n}\n")
    (folder / "two.css").write_text("b {}\n")
    os.utime(folder / "site.css", (1, 1))
    os.utime(folder / "one.css", (5, 5))
    os.utime(folder / "two.css", (3, 3))
    sheets = Sheets(tmp_path)
    assert sheets.get_modified_time("css/site.css").timestamp() == 5
    assert sheets.open("css/site.css").read() == b"a {\ncolor: red;\n}\nb {}\n"
