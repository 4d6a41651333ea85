"""A table of a page as a file: its own address with `format=csv` or `format=json`, so with the
same filters and for the same people."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from django.http import HttpRequest, StreamingHttpResponse
from django.utils import timezone

from governance.core.tables import Columns, as_csv, as_json
from governance.models import Project

Row = TypeVar("Row")
TYPES = {"csv": "text/csv; charset=utf-8", "json": "application/json"}


def table_file(
    request: HttpRequest,
    project: Project,
    name: str,
    columns: Columns[Row],
    rows: Callable[[], Iterable[Row]],
) -> StreamingHttpResponse | None:
    """None where the page itself is asked for."""
    asked = request.GET.get("format", "")
    if asked not in TYPES:
        return None
    written = (
        as_csv(columns, rows())
        if asked == "csv"
        else as_json(columns, rows(), name=name.replace("-", "_"))
    )
    answer = StreamingHttpResponse(written, content_type=TYPES[asked])
    day = f"{timezone.now():%Y-%m-%d}"
    answer["Content-Disposition"] = f'attachment; filename="{project.slug}-{name}-{day}.{asked}"'
    answer["Cache-Control"] = "no-store"
    return answer


Tables = Mapping[str, tuple[Columns[Any], Iterable[Any]]]


def one_of_tables(
    request: HttpRequest, project: Project, tables: Tables
) -> StreamingHttpResponse | None:
    """Of a page that has several: the one that `table` of the address names."""
    name = request.GET.get("table", "")
    if name not in tables:
        return None
    columns, rows = tables[name]
    return table_file(request, project, name, columns, lambda: rows)


def page_after_page(page: Callable[[Row | None], list[Row]], size: int) -> Iterator[Row]:
    """All rows of a list that is read page by page: each begins after the last row before it."""
    last: Row | None = None
    while rows := page(last):
        yield from rows
        if len(rows) < size:
            return
        last = rows[-1]
