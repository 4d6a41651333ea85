"""Formats a bench as a readable table; the JSON has more details."""

from collections.abc import Iterable, Mapping
from typing import Any

from bench.checks import in_words

_HEAD = ("store", "part", "batch", "clients", "items", "items/s", "p50 ms", "p95 ms", "p99 ms")
_OTHER_PROGRAMS = 0.1  # cores


def table(bench: Mapping[str, Any]) -> str:
    rows: list[tuple[str, ...]] = [
        (*_HEAD, "of limit", "of null", "of bare", "per core", "of bare/core", "others")
    ]
    notes = []
    for name, store in bench["stores"].items():
        for part in store["parts"]:
            rows.append(_row(name, part))
            if part["recount"] != "exact":
                notes.append(f"{name}, {part['part']}: no figure. {'; '.join(part['recount'])}")
        durability = ", ".join(f"{key} {value}" for key, value in store["durability"].items())
        notes.append(f"{name}: {durability}")
        notes += [f"{name}: {store['ended']}"] if store["ended"] else []
    notes.append(in_words(bench["checks"]))
    notes.append(
        f"commit {bench['commit'][:12]}, {bench['changed_since']} files changed since;"
        f" {bench['machine']['cores']} cores, fsync {bench['machine']['fsync_ms']} ms;"
        " others: cores that other programs took meanwhile"
    )
    return "\n".join([*_aligned(rows), "", *notes])


def _row(store: str, part: Mapping[str, Any]) -> tuple[str, ...]:
    others = part["cores"].get("others", 0.0)
    return (
        store,
        part["part"],
        str(part["batch"]),
        str(part["clients"]),
        f"{part['items']:,}",
        _figure(part, "items_per_s", 0),
        *(_figure(part, f"p{percent}_ms", 1) for percent in (50, 95, 99)),
        _figure(part, "of_limit", 2),
        _figure(part, "of_null", 2),
        _figure(part, "of_bare", 2),
        _figure(part, "per_core", 0),
        _figure(part, "of_bare_per_core", 2),
        f"{others:.1f}" if others >= _OTHER_PROGRAMS else "",
    )


def _figure(part: Mapping[str, Any], name: str, digits: int) -> str:
    return f"{part[name]:,.{digits}f}" if name in part else ""


def _aligned(rows: Iterable[tuple[str, ...]]) -> list[str]:
    rows = list(rows)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if place < 2 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
