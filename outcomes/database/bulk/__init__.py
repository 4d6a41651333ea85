"""Bulk statements for both databases; only this package knows the fastest way for each.

PostgreSQL takes each column as a binary array (`unnest`), within a few per cent of COPY's speed.
SQLite takes rows one by one with a prepared statement. Inserts return the ids of new rows; ids are
assigned by us, so SQLite can be queried for them afterwards.
"""

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from django.core.exceptions import EmptyResultSet
from django.db import connection, models

from outcomes.database.bulk.arrays import packed
from outcomes.database.bulk.sending import Meanwhile, carried_out
from outcomes.database.reading import reading

if TYPE_CHECKING:
    from psycopg.pq.abc import PGresult

Row = tuple[Any, ...]
Model = type[models.Model]
Adapted = Callable[[Sequence[Any]], Sequence[Any]]

_FLAGS: Final = {None: None, False: 0, True: 1}


def rows_as_stored(statement: str, values: Sequence[Any]) -> list[Row]:
    """Rows of a query, with bytes in binary format.

    By default PostgreSQL sends bytes as hexadecimal text, which takes longer to parse than to use.
    """
    database = reading()
    with database.cursor() as cursor:
        if database.vendor == "postgresql":
            cursor.cursor = _reading_as_stored()(database.connection)
        cursor.execute(statement, values)
        rows: list[Row] = cursor.fetchall()
        return rows


def rows_of(selected: models.QuerySet[Any, Any]) -> list[Row]:
    """Rows of a values() query with many results. Django reads PostgreSQL's times from text, which
    would be a sixth of the cost of a reclassification. Bytes may have any bytes-like type."""
    if connection.vendor != "postgresql":
        return list(selected)
    try:
        statement, values = selected.query.sql_with_params()
    except EmptyResultSet:
        return []
    return rows_as_stored(statement, values)


@cache
def _reading_as_stored() -> Any:
    from psycopg import Cursor  # noqa: PLC0415 - not there where SQLite serves

    class AsStored(Cursor[Row]):
        def execute(self, query: Any, params: Any = None, **_: Any) -> Any:
            return super().execute(query, params, prepare=False, binary=True)

    return AsStored


def insert_new(
    model: Model, columns: Sequence[str], rows: Sequence[Row], meanwhile: Meanwhile | None = None
) -> set[int]:
    """Insert rows that violate no unique constraint. Returns the ids of those inserted.

    The first column is the id. `meanwhile` runs while a database server executes the insert.
    """
    if not rows:
        return set()
    if connection.vendor == "postgresql":
        result = _unnested(
            f"{_into(model, columns)} SELECT * FROM {{source}} ON CONFLICT DO NOTHING RETURNING id",
            model, columns, rows, meanwhile,
        )  # fmt: skip
        if result.ntuples == len(rows):
            return {row[0] for row in rows}
        numbers = (result.get_value(place, 0) for place in range(result.ntuples))
        return {int.from_bytes(number) for number in numbers if number is not None}
    _insert(model, columns, rows, "ON CONFLICT DO NOTHING")
    return ids_present(model, [row[0] for row in rows])


def insert_missing(model: Model, columns: Sequence[str], rows: Sequence[Row]) -> None:
    """Insert rows that violate no unique constraint, with ids from the database. Columns not listed
    get the model's defaults."""
    if not rows:
        return
    names, values = _by_default(model, tuple(columns))
    columns, rows = [*columns, *names], [(*row, *values) for row in rows]
    _insert(model, columns, rows, "ON CONFLICT DO NOTHING")


def ids_present(model: Model, ids: Sequence[int]) -> set[int]:
    """Ids that have a row. Queried in ranges, because ids of a batch are close together."""
    requested, present = set(ids), set[int]()
    with connection.cursor() as cursor:
        for first, last in _ranges(sorted(requested)):
            cursor.execute(
                f"SELECT id FROM {model._meta.db_table} WHERE id BETWEEN %s AND %s",
                [first, last],
            )
            present.update(row[0] for row in cursor.fetchall())
    return present & requested


def add(model: Model, key: Sequence[str], sums: Sequence[str], rows: Sequence[Row]) -> None:
    """Add to the sums of the rows with these keys, creating missing rows. Rows must be sorted."""
    if not rows:
        return
    columns = [*key, *sums]
    table = model._meta.db_table
    grown = ", ".join(f"{name} = {table}.{name} + excluded.{name}" for name in sums)
    then = f"ON CONFLICT ({_names(model, key)}) DO UPDATE SET {grown}"
    _insert(model, columns, rows, then)


def put(model: Model, key: Sequence[str], others: Sequence[str], rows: Sequence[Row]) -> None:
    """Upsert these columns of the rows with these keys."""
    if not rows:
        return
    columns = [*key, *others]
    changed = ", ".join(f"{name} = excluded.{name}" for name in others)
    then = f"ON CONFLICT ({_names(model, key)}) DO UPDATE SET {changed}"
    _insert(model, columns, rows, then)


def keep_newest(
    model: Model, key: Sequence[str], at: str, others: Sequence[str], rows: Sequence[Row]
) -> None:
    """Upsert sorted rows, except where the stored row has a later time."""
    if not rows:
        return
    columns = [*key, at, *others]
    table = model._meta.db_table
    updated = [_field(model, name).column for name in (at, *others)]
    changed = ", ".join(f'"{name}" = excluded."{name}"' for name in updated)
    then = (
        f"ON CONFLICT ({_names(model, key)}) DO UPDATE SET {changed}"
        f' WHERE {table}."{at}" IS NULL OR excluded."{at}" >= {table}."{at}"'
    )
    _insert(model, columns, rows, then)


def update(model: Model, columns: Sequence[str], rows: Sequence[Row]) -> None:
    """Update these columns of rows. The first value of each row is its id."""
    if not rows:
        return
    table = model._meta.db_table
    names = [f'"{_field(model, name).column}"' for name in columns[1:]]
    if connection.vendor == "postgresql":
        changed = ", ".join(f"{name} = source.{name}" for name in names)
        _unnested(
            f"UPDATE {table} SET {changed} FROM {{source}} WHERE {table}.id = source.id",
            model, columns, rows,
        )  # fmt: skip
        return
    changed = ", ".join(f"{name} = %s" for name in names)
    with connection.cursor() as cursor:
        cursor.executemany(
            f"UPDATE {table} SET {changed} WHERE id = %s",
            [(*row[1:], row[0]) for row in _adapted(model, columns, rows)],
        )


def remove(model: Model, columns: Sequence[str], rows: Sequence[Row]) -> None:
    """Delete the rows with these values. Rows must be sorted, and the columns indexed."""
    if not rows:
        return
    table = model._meta.db_table
    names = [f'"{_field(model, name).column}"' for name in columns]
    if connection.vendor == "postgresql":
        equal = " AND ".join(f"{table}.{name} = source.{name}" for name in names)
        _unnested(f"DELETE FROM {table} USING {{source}} WHERE {equal}", model, columns, rows)
        return
    equal = " AND ".join(f"{name} = %s" for name in names)
    with connection.cursor() as cursor:
        cursor.executemany(f"DELETE FROM {table} WHERE {equal}", _adapted(model, columns, rows))


def _insert(model: Model, columns: Sequence[str], rows: Sequence[Row], then: str) -> None:
    """Insert rows; `then` is the conflict clause for rows that exist."""
    into = _into(model, columns)
    if connection.vendor == "postgresql":
        _unnested(f"{into} SELECT * FROM {{source}} {then}", model, columns, rows)
        return
    marks = ", ".join(["%s"] * len(columns))
    with connection.cursor() as cursor:
        cursor.executemany(f"{into} VALUES ({marks}) {then}", _adapted(model, columns, rows))


def _into(model: Model, columns: Sequence[str]) -> str:
    return f"INSERT INTO {model._meta.db_table} ({_names(model, columns)})"


def _unnested(
    statement: str,
    model: Model,
    columns: Sequence[str],
    rows: Sequence[Row],
    meanwhile: Meanwhile | None = None,
) -> "PGresult":
    kinds = [_kind(model, name) for name in columns]
    arrays = ", ".join(f"${place}::{kind}[]" for place, kind in enumerate(kinds, 1))
    source = f"unnest({arrays}) AS source({_names(model, columns)})"
    return carried_out(
        statement.format(source=source),
        [packed(kind, values) for kind, values in zip(kinds, zip(*rows, strict=True), strict=True)],
        meanwhile,
    )


def _adapted(model: Model, columns: Sequence[str], rows: Sequence[Row]) -> Sequence[Row]:
    """Rows in SQLite's format: times as naive UTC text like Django's, and booleans as numbers,
    because the driver looks up an adapter for each boolean."""
    adapting = _adapting(model, tuple(columns))
    if not adapting:
        return rows
    values: list[Sequence[Any]] = list(zip(*rows, strict=True))
    for place, adapted in adapting:
        values[place] = adapted(values[place])
    return list(zip(*values, strict=True))


@cache
def _adapting(model: Model, columns: tuple[str, ...]) -> list[tuple[int, Adapted]]:
    kinds: dict[type[models.Field[Any, Any]], Adapted] = {
        models.DateTimeField: _times,
        models.BooleanField: _flags,
    }
    return [
        (place, adapted)
        for place, name in enumerate(columns)
        for kind, adapted in kinds.items()
        if isinstance(_field(model, name), kind)
    ]


def _times(values: Sequence[datetime | None]) -> list[str | None]:
    texts = {each: sqlite_time(each) for each in set(values)}  # rows of a batch share most of them
    return [texts[each] for each in values]


def _flags(values: Sequence[bool | None]) -> list[int | None]:
    return [_FLAGS[each] for each in values]


def sqlite_time(at: datetime | None) -> str | None:
    if at is None:
        return None
    if at.tzinfo is not UTC:
        at = at.astimezone(UTC)
    return str(at)[: -len("+00:00")]


def read_time(at: datetime | str) -> datetime:
    """Aware time from a plain cursor. SQLite returns naive times, and text for aggregates."""
    time = datetime.fromisoformat(at) if isinstance(at, str) else at
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def _ranges(ids: list[int]) -> Iterable[tuple[int, int]]:
    start = previous = ids[0]
    for value in ids[1:]:
        if value > previous + 1_000:
            yield start, previous
            start = value
        previous = value
    yield start, previous


@cache
def _field(model: Model, name: str) -> "models.Field[Any, Any]":
    field = model._meta.get_field(name)
    assert isinstance(field, models.Field)  # noqa: S101 - columns are named in our own code
    return field


def _names(model: Model, columns: Sequence[str]) -> str:
    return ", ".join(f'"{_field(model, name).column}"' for name in columns)


@cache
def _by_default(model: Model, columns: tuple[str, ...]) -> tuple[tuple[str, ...], Row]:
    others = [
        field
        for field in model._meta.concrete_fields
        if field.name not in columns and not field.primary_key
    ]
    return tuple(field.name for field in others), tuple(field.get_default() for field in others)


@cache
def _kind(model: Model, name: str) -> str:
    """Column type without its length."""
    return (_field(model, name).db_type(connection) or "").partition("(")[0]
