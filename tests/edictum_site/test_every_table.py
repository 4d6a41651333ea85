"""Every table of every page is offered as CSV and as JSON, where it stands."""

import csv
import html
import io
import json
import re

from django.conf import settings

from tests.edictum_site import routes
from tests.edictum_site.test_routes import address, everything_in, read, undone

TEMPLATES = settings.BASE / "templates"
FILES = re.compile(r'_components/files\.html"|_components/pagination\.html"')
TABLE = re.compile(r'<table\b(?! class="table"><caption)')
LINK = re.compile(r'href="([^"]*[?;]format=(?:csv|json)[^"]*)" download')

# Tables that are no file themselves, and why.
NO_FILE = {
    "checks/_audit_rows.html": "the file stands below it, on each of its three pages",
    "checks/_rows.html": "the file stands below it, for either half of the checks",
    "artifacts/_artifact_calls.html": "the file stands below it, on the artifact's page",
    "artifacts/_artifact_piece.html": "a piece of an artifact, which itself is downloaded",
    "backtesting/_backtest_calls.html": "the file stands below it, on both of its pages",
    "sessions/reset_session.html": "a question: what would begin at zero again",
}


def tables_in(text: str) -> list[str]:
    """Each with what stands below it in its card; not those of charts, which the browser saves."""
    return [
        section[found.end() :]
        for section in text.split("</section>")
        for found in TABLE.finditer(section)
    ]


def test_every_template_offers_a_file_below_each_of_its_tables():
    without = set()
    for path in TEMPLATES.rglob("*.html"):
        below = tables_in(path.read_text("utf-8"))
        if not all(FILES.search(each) for each in below):
            without.add(str(path.relative_to(TEMPLATES)))
    assert without == set(NO_FILE)


def test_each_file_that_a_page_offers_is_there(project, admin_client):
    known = everything_in(project)
    offered, without = set(), set()
    for asked in sorted(routes.PROJECT_PAGES):
        if not asked.startswith("GET "):
            continue
        with undone():
            page = read(admin_client.get(address(asked, project, known)))
        if page.streaming or "html" not in page.headers.get("Content-Type", ""):
            continue
        body = page.content.decode()
        offered |= {html.unescape(each) for each in LINK.findall(body)}
        if not all(LINK.search(below) for below in tables_in(body)):
            without.add(asked)
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
    assert without == set()
    assert len(offered) > 2 * 30, sorted(offered)
