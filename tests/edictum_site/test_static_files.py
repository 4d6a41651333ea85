"""Of the editor's many files, those that pages load are served, and what these name."""

import re

from django.contrib.staticfiles.finders import get_finders
from django.core.files.storage import FileSystemStorage

SERVED: dict[str, FileSystemStorage] = {
    name: storage for finder in get_finders() for name, storage in finder.list([])
}
FOLDER = "django_ace/ace/"


def test_the_editor_is_served_without_its_modes_for_everything_else():
    assert {f"{FOLDER}ace.js", f"{FOLDER}mode-yaml.js", f"{FOLDER}css/ace.css"} <= set(SERVED)
    assert len([name for name in SERVED if name.startswith("django_ace/")]) < 60


def test_what_the_editors_style_sheet_names_is_served_too():
    sheet = f"{FOLDER}css/ace.css"
    with SERVED[sheet].open(sheet) as file:
        named = re.findall(r"url\(['\"]?\./([^'\")]+)", file.read().decode())
    assert named
    assert {f"{FOLDER}css/{name}" for name in named} <= set(SERVED)


def test_our_own_files_are_all_served():
    assert {"css/tokens.css", "js/app.js", "icons.svg"} <= set(SERVED)
