"""Endless posts of calls, and the expected result of each acknowledged call."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.items import an_outcome
from tests.kill.load import LARGE, Load, Post, load_of

CHUNK = 1_000  # items
CHECKED = 40  # calls per chunk that the success check is bound to
TOOL = "soak-checked"
AT = "2026-11-18T12:00:00+00:00"  # explicit, so that repeated posts are duplicates
REPEATED = 12  # after this many posts, one is sent again although it was acknowledged
CHECK = """\
apiVersion: edictum-site/v1
kind: SuccessCheck
metadata: {name: soak}
otherwise: success
rules:
  - id: failed
    when: {result.ok: {equals: false}}
    verdict: failure
"""
LATER = """\
  - id: late
    when: {result.late: {equals: true}}
    verdict: failure
"""


@dataclass(slots=True)
class Soaked:
    """Expected type and verdict of each call, filled as posts are made."""

    kinds: dict[str, str] = field(default_factory=dict)
    verdicts: dict[str, str | None] = field(default_factory=dict)
    late: set[str] = field(default_factory=set)  # calls that only the check's second version fails

    # Numbers of posts after which every started call is complete.
    ends: list[int] = field(default_factory=list)

    def posts(self) -> Iterator[Post]:
        number = 0
        while True:
            load = load_of(CHUNK, first=number)
            number += len(load.kinds)
            self._note(load)
            posts = [*load.posts, self._checked(number)]
            self.ends.append((self.ends or [0])[-1] + len(posts) + len(posts) // REPEATED)
            for place, post in enumerate(posts):
                yield post
                if place % REPEATED == REPEATED - 1:
                    yield posts[place - 1]

    def right(self, call: str) -> tuple[str, str | None]:
        """Expected type and verdict after reclassification by the check's second version."""
        return self.kinds[call], "failure" if call in self.late else self.verdicts[call]

    def contents(self) -> Iterator[tuple[str, bytes]]:
        """Outputs that are stored as artifacts, with their call ids."""
        for call, kind in self.kinds.items():
            if kind == "artifact_reference":
                number = call.removeprefix("call-")
                yield call, f"{number} {LARGE}".encode()

    def _note(self, load: Load) -> None:
        self.kinds |= load.kinds
        self.verdicts |= load.verdicts

    def _checked(self, number: int) -> Post:
        items = []
        for place in range(CHECKED):
            call = f"checked-{number}-{place}"
            ok, late = place % 5 > 0, place % 4 == 0
            self.kinds[call] = "execution_result"
            self.verdicts[call] = "success" if ok else "failure"
            if late:
                self.late.add(call)
            output = {"ok": ok, "late": late, "n": place}
            session = f"session-{place % 7}"
            items.append(
                an_outcome(call, tool_name=TOOL, output=output, session_id=session, timestamp=AT)
            )
        body = json.dumps({"outcomes": items}).encode()
        return Post("outcomes", body, tuple(item["call_id"] for item in items))
