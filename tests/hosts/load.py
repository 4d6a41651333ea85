"""Posts for several web processes, out of order and partly repeated, and artifact uploads."""

import hashlib
import json
import random
from dataclasses import dataclass

from tests.items import an_outcome
from tests.kill.load import LARGE, Load, Post, load_of

TWICE: float = 0.1  # share of posts that are sent again later
APART: int = 12  # maximum positions by which a post is delayed
UPLOADS: int = 20


@dataclass(frozen=True, slots=True)
class Upload:
    call: str
    session: str
    content: bytes

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.content).hexdigest()


def disordered(items: int, seed: int) -> Load:
    """Load with reordered posts, so that second halves of pairs may come first, and duplicates."""
    load, chance = load_of(items), random.Random(seed)  # noqa: S311 - repeatable on purpose
    again = chance.sample(load.posts, int(len(load.posts) * TWICE))
    places = [(place + chance.uniform(0, APART), post) for place, post in enumerate(load.posts)]
    places += [(chance.uniform(0, len(load.posts)), post) for post in again]
    load.posts = [post for _, post in sorted(places, key=lambda each: each[0])]
    return load


def uploads(load: Load) -> list[Upload]:
    """Artifacts to upload first, each referenced by a call that is added to the expected load."""
    made = []
    for number in range(UPLOADS):
        upload = Upload(f"upload-{number}", "uploads", f"{number} {LARGE}".encode() * 3)
        load.kinds[upload.call], load.verdicts[upload.call] = "artifact_reference", "success"
        load.attempts[upload.session] += 1
        load.events += 1
        made.append(upload)
    return made


def reference(upload: Upload) -> Post:
    item = an_outcome(
        upload.call,
        type="artifact_reference",
        artifact_id=upload.sha256,
        session_id=upload.session,
        agent_id="uploader",
        tool_name="upload",
        timestamp="2026-11-18T12:00:00+00:00",
    )
    return Post("outcomes", json.dumps({"outcomes": [item]}).encode(), (upload.call,))


def outputs_of(load: Load) -> dict[str, bytes]:
    """Outputs that are stored as artifacts, by call id."""
    outputs = {}
    for post in load.posts:
        for item in json.loads(post.body).get("outcomes", []):
            output = item.get("output")
            if isinstance(output, str) and len(output) > len(LARGE):
                outputs[item["call_id"]] = output.encode()
    return outputs
