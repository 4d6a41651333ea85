"""`python -m bench.stored_bytes`: bytes that a settled call takes in each table and index.

What a few calls take as well (names, sessions, sums) is counted with the rest.
"""

import argparse
import tempfile
from pathlib import Path
from typing import Final

from bench.filled import BATCH, fill
from bench.stores import Store, store

LIMIT: Final = 1_000  # bytes per call for events and calls, including their indexes
PARTS: Final = {
    "events": ("outcomes_event",),
    "calls": ("outcomes_call",),
    "search": ("outcomes_posting", "outcomes_indexedcall"),
}
SHOWN: Final = 5  # bytes per call below which a size is not listed
_ON_SERVER: Final = """
SELECT t.relname, i.relname, pg_relation_size(i.oid) FROM pg_class t
JOIN pg_index x ON x.indrelid = t.oid JOIN pg_class i ON i.oid = x.indexrelid
WHERE t.relname LIKE 'outcomes%%'
UNION ALL
SELECT relname, '', pg_table_size(oid) FROM pg_class
WHERE relname LIKE 'outcomes%%' AND relkind = 'r'
"""
_IN_FILE: Final = """
SELECT coalesce(s.tbl_name, d.name), CASE WHEN s.type = 'index' THEN d.name ELSE '' END,
sum(d.pgsize) FROM dbstat d LEFT JOIN sqlite_schema s ON s.name = d.name GROUP BY 1, 2
"""

Size = tuple[str, str, float]  # table, index, bytes per call


def main() -> int:
    options = argparse.ArgumentParser(prog="python -m bench.stored_bytes", description=__doc__)
    options.add_argument("--store", choices=["sqlite", "postgres"], default="postgres")
    options.add_argument("--calls", type=int, default=40 * BATCH)
    options.add_argument("--no-search", action="store_true", help="without the search index")
    chosen = options.parse_args()
    with (
        tempfile.TemporaryDirectory(prefix="edictum-bytes-") as folder,
        store(chosen.store, Path(folder)) as where,
    ):
        fill(where, chosen.calls, search=not chosen.no_search)
        where.tidy()
        sizes = _sizes(where, chosen.calls)
        print(f"{where.name}, {chosen.calls:,} calls, bytes per call")
        _report(sizes)
    return 0


def _sizes(where: Store, calls: int) -> list[Size]:
    rows = where.rows(_ON_SERVER if where.url else _IN_FILE)
    sizes = [(str(table), str(index), float(size) / calls) for table, index, size in rows]
    return sorted(sizes, key=lambda each: -each[2])


def _report(sizes: list[Size]) -> None:
    for table, index, size in sizes:
        if size >= SHOWN:
            print(f"{size:8,.1f}  {table.removeprefix('outcomes_'):16} {index}")
    parts = {
        name: sum(size for table, _, size in sizes if table in tables)
        for name, tables in PARTS.items()
    }
    parts["others"] = sum(size for _, _, size in sizes) - sum(parts.values())
    for name, size in parts.items():
        print(f"{size:8,.1f}  {name} in all")
    ratio = (parts["events"] + parts["calls"]) / LIMIT
    print(f"{ratio:8.2f}  of the limit of {LIMIT:,} bytes for events and calls")


if __name__ == "__main__":
    raise SystemExit(main())
