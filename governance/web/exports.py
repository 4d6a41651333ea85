"""Export menu of a page: the tables that it offers as files."""

from typing import NamedTuple
from urllib.parse import quote, urlencode

from django.http import HttpRequest
from django.urls import reverse

from governance.models import Project

# Query parameters about a page of rows or a file, not about the table.
NOT_OF_A_TABLE = ("before", "after", "tag", "format", "table")


class Export(NamedTuple):
    words: str
    address: str  # up to the format


def offer_table(request: HttpRequest, name: str, *, table: str = "") -> None:
    """Add a table of this page to its Export menu, with the page's filters; `table` selects one of
    several tables."""
    query = request.GET.copy()
    for parameter in NOT_OF_A_TABLE:
        query.pop(parameter, None)
    _offer(request, name, quote(request.path), query.urlencode(), table)


def offer_part(
    request: HttpRequest, name: str, view: str, *, table: str = "", **query: str
) -> None:
    """Add a table of a part that is loaded after the page, from the part's own URL."""
    project: Project = vars(request)["project"]
    address = reverse(view, args=[project.slug])
    chosen = {parameter: value for parameter, value in query.items() if value}
    _offer(request, name, address, urlencode(chosen), table)


def exports_of(request: HttpRequest) -> list[Export]:
    return list(vars(request).get("exports", ()))


def _offer(request: HttpRequest, name: str, address: str, query: str, table: str) -> None:
    named = f"table={table}" if table else ""
    parameters = "".join(f"{each}&" for each in (query, named) if each)
    export = Export(name.replace("-", " ").capitalize(), f"{address}?{parameters}")
    offered = vars(request).setdefault("exports", [])
    if export not in offered:
        offered.append(export)
