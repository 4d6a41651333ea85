"""What lists of calls and of sessions are narrowed to beside their own choices, by their address:
a contract, one version of it, and a period."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from governance.auth import MemberRequest
from outcomes.views.paging import with_query
from outcomes.views.periods import time_from, time_text

LARGEST_VERSION = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Narrowing:
    contract: str = ""
    version: int | None = None
    since: datetime | None = None
    until: datetime | None = None

    def __bool__(self) -> bool:
        return self != Narrowing()

    def query(self) -> dict[str, str]:
        return {
            "contract": self.contract,
            "version": "" if self.version is None else str(self.version),
            "since": time_text(self.since),
            "until": time_text(self.until),
        }


def narrowing_of(request: MemberRequest) -> Narrowing:
    contract, version = request.GET.get("contract", ""), request.GET.get("version", "")
    is_number = version.isascii() and version.isdecimal() and len(version) < 11
    number = int(version) if contract and is_number else None
    return Narrowing(
        contract,
        number if number is not None and number <= LARGEST_VERSION else None,
        time_from(request.GET.get("since", "")),
        time_from(request.GET.get("until", "")),
    )


def narrowing_context(
    request: MemberRequest, narrowing: Narrowing, address: str, **others: str
) -> dict[str, Any]:
    """The form over the list and what it holds now; the address leads to the list of all."""
    less = {
        "contract": replace(narrowing, contract="", version=None),
        "since": replace(narrowing, since=None),
        "until": replace(narrowing, until=None),
    }
    return {
        "narrowing": narrowing,
        "narrowed_to": {
            name: with_query(address, **others, **without.query())
            for name, without in less.items()
            if without != narrowing
        },
        "narrowed_with": {name: value for name, value in others.items() if value},
    }
