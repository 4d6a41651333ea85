"""Every page with a table has one Export menu with each table as CSV and JSON."""

import csv
import html
import io
import json
import re

import pytest

from tests.edictum_site import routes
from tests.edictum_site.test_routes import address, everything_in, read, undone

TABLE = re.compile(r'<table\b(?! class="table"><caption)')  # excludes tables of charts
MENU = re.compile(r'<details class="pick export".*?</details>', re.DOTALL)
LINK = re.compile(r'href="([^"]*[?;]format=(?:csv|json)[^"]*)" download')

# Pages whose tables are forms, and why they are not exported.
NO_FILE = {
    "GET governance:roles": "an explanation of what each role may do",
    "GET outcomes:bindings_of_check": "a question; the bindings page has the file",
    "GET outcomes:success_targets": "fields of a form, a target for each tool",
}


@pytest.mark.slow
def test_each_page_has_one_export_menu_with_all_its_tables(project, admin_client):
    known = everything_in(project)
    offered, without = set(), set()
    for requested in sorted(routes.PROJECT_PAGES):
        if not requested.startswith("GET "):
            continue
        with undone():
            page = read(admin_client.get(address(requested, project, known)))
        if page.streaming or "html" not in page.headers.get("Content-Type", ""):
            continue
        body = page.content.decode()
        menus = MENU.findall(body)
        assert len(menus) <= 1, requested
        links = [html.unescape(link) for menu in menus for link in LINK.findall(menu)]
        assert len(links) == len(LINK.findall(body)), f"{requested}: a link outside of the menu"
        offered |= set(links)
        is_page = body.lstrip().startswith("<!doctype")
        if is_page and TABLE.search(body) and not links:
            without.add(requested)
    for each in sorted(offered):
        with undone():
            answer = admin_client.get(each)
            body = b"".join(answer.streaming_content).decode() if answer.streaming else ""
        assert answer.headers.get("Content-Disposition", "").startswith("attachment"), each
        if "format=csv" in each:
            titles, *_ = csv.reader(io.StringIO(body, newline=""))
            assert titles, each
        else:
            (rows,) = json.loads(body).values()
            assert isinstance(rows, list), each
    assert without == set(NO_FILE)
    assert len(offered) > 2 * 30, sorted(offered)
