"""Results of simulated tools: realistic values, drawn from a seed and independent of the time."""

import json
import random
import struct
import zlib
from collections.abc import Callable
from typing import Any

from edictum_site.demo.agent import Answer

_WORDS = (
    "account balance change contract customer delay delivery demand figure fleet forecast growth"
    " index invoice letter market month order parcel part price quarter rate record region report"
    " request return review route sample season share stock supplier table ticket trade value week"
)
WORDS = _WORDS.split()
TOWNS = ("Aalborg", "Bergen", "Cork", "Delft", "Essen", "Faro", "Ghent", "Halle", "Imst", "Jena")


def took(chance: random.Random, typical: float) -> float:
    """Random duration in milliseconds: mostly near the typical one, sometimes many times longer."""
    return round(typical * chance.lognormvariate(0, 0.55), 1)


def text(chance: random.Random, words: int) -> str:
    return " ".join(chance.choice(WORDS) for _ in range(words)).capitalize() + "."


def account(chance: random.Random) -> str:
    return f"A-{chance.randint(2_000, 2_180)}"


def crm(chance: random.Random, failing: float) -> Callable[[str], Answer]:
    def lookup(number: str) -> Answer:
        if chance.random() < failing:  # only the output shows it: no exception is raised
            status = chance.choice((500, 502, 503))
            body = {"status": status, "error": "upstream connect error"}
            return Answer(output=body, elapsed_ms=took(chance, 900))
        row = {"status": 200, "account": number, "town": chance.choice(TOWNS)}
        row |= {"open_invoices": chance.randint(0, 4), "since": 2_000 + chance.randint(8, 25)}
        return Answer(output=row, elapsed_ms=took(chance, 120))

    return lookup


def rows(chance: random.Random, number: int) -> list[dict[str, Any]]:
    return [
        {
            "region": chance.choice(TOWNS),
            "week": 30 + at % 20,
            "orders": chance.randint(10, 900),
            "returned": chance.randint(0, 40),
            "revenue": round(chance.uniform(900, 90_000), 2),
        }
        for at in range(number)
    ]


def as_csv(table: list[dict[str, Any]]) -> bytes:
    lines = [",".join(table[0]), *(",".join(map(str, row.values())) for row in table)]
    return ("\n".join(lines) + "\n").encode()


def page(chance: random.Random) -> str:
    parts = [f"# {text(chance, 4)}", *(text(chance, chance.randint(40, 90)) for _ in range(36))]
    return "\n\n".join(parts)


def picture(chance: random.Random) -> bytes:
    """A small PNG chart with random columns on white."""
    width, height, columns = 320, 160, 16
    tops = [chance.randint(20, 140) for _ in range(columns)]
    step = width // columns
    lines = bytearray()
    for y in range(height):
        lines.append(0)
        for x in range(width):
            inside = x % step > 4 and height - y < tops[x // step]
            lines += b"\x1d\x4f\x91" if inside else b"\xff\xff\xff"

    def chunk(kind: bytes, content: bytes) -> bytes:
        body = kind + content
        return struct.pack(">I", len(content)) + body + struct.pack(">I", zlib.crc32(body))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = chunk(b"IDAT", zlib.compress(bytes(lines), 6))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + body + chunk(b"IEND", b"")


def size_of(output: Any) -> int:
    return len(json.dumps(output, separators=(",", ":")))
