"""Tables of a page as files: the page's own URL with `format=csv` or `format=json`, so with the
same filters and permissions."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sized
from typing import Any, TypeVar

from django.http import HttpRequest, StreamingHttpResponse
from django.utils import timezone

from governance.core.tables import Columns, as_csv, as_json
from governance.models import Project
from governance.web.exports import offer_table

Row = TypeVar("Row")
TYPES = {"csv": "text/csv; charset=utf-8", "json": "application/json"}


def table_file(
    request: HttpRequest,
    project: Project,
    name: str,
    columns: Columns[Row],
    rows: Callable[[], Iterable[Row]],
) -> StreamingHttpResponse | None:
    """Requested table as a file, or None for a page request, whose Export menu then links to it."""
    file_type = request.GET.get("format", "")
    if file_type not in TYPES:
        offer_table(request, name)
        return None
    written = (
        as_csv(columns, rows())
        if file_type == "csv"
        else as_json(columns, rows(), name=name.replace("-", "_"))
    )
    answer = StreamingHttpResponse(written, content_type=TYPES[file_type])
    day = f"{timezone.now():%Y-%m-%d}"
    answer["Content-Disposition"] = (
        f'attachment; filename="{project.slug}-{name}-{day}.{file_type}"'
    )
    answer["Cache-Control"] = "no-store"
    return answer


Tables = Mapping[str, tuple[Columns[Any], Iterable[Any]]]


def one_of_tables(
    request: HttpRequest, project: Project, tables: Tables
) -> StreamingHttpResponse | None:
    """File of one of several tables, selected by `table` in the URL, or None for a page request,
    whose Export menu then links to the tables that have rows."""
    if request.GET.get("format", "") not in TYPES:
        for each, (_, rows_of_each) in tables.items():
            if not isinstance(rows_of_each, Sized) or len(rows_of_each):
                offer_table(request, each, table=each)
        return None
    name = request.GET.get("table", "")
    if name not in tables:
        return None
    columns, rows = tables[name]
    return table_file(request, project, name, columns, lambda: rows)


def page_after_page(page: Callable[[Row | None], list[Row]], size: int) -> Iterator[Row]:
    """All rows of a paginated list: each page starts after the last row of the one before."""
    last: Row | None = None
    while rows := page(last):
        yield from rows
        if len(rows) < size:
            return
        last = rows[-1]
