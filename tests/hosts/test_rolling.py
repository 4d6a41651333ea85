"""Rolling restart: the code of an earlier commit and the current code share one database."""

import subprocess
import tarfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest

from edictum_site.program.place import BASE as ROOT
from edictum_site.stack.running import Product
from outcomes.core.schema import BASE, OLDEST
from tests.hosts.installation import Installation, installation
from tests.hosts.jobs import Jobs
from tests.journeys.console import KEY, Console
from tests.kill.load import load_of
from tests.kill.posting import Poster
from tests.stored import stored_by

pytestmark = pytest.mark.slow  # it starts the product

ITEMS = 2_000
SCHEMA = "outcomes/core/schema.py"
ROLES = "edictum_site/stack/roles.py"
MIGRATIONS = ("outcomes/migrations", "governance/migrations")


def git(*command: str) -> str:
    done = subprocess.run(["git", *command], cwd=ROOT, capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else ""


def earlier_commits() -> Iterator[str]:
    """Commits with an older schema whose code can run on the current one, newest first."""
    ours = files_at("HEAD")
    for commit in git("log", "--format=%H", "--", *MIGRATIONS).split():
        files = files_at(commit)
        if not may_share(commit, files):
            return
        if files != ours:
            yield commit


def files_at(commit: str) -> frozenset[str]:
    return frozenset(git("ls-tree", "-r", "--name-only", commit, "--", *MIGRATIONS).split())


def may_share(commit: str, files: frozenset[str]) -> bool:
    has_base = all(f"{app}/migrations/{name}.py" in files for app, name in BASE.items())
    generation = generation_of(git("show", f"{commit}:{SCHEMA}"))
    return has_base and generation >= OLDEST and bool(git("ls-tree", commit, "--", ROLES))


def generation_of(text: str) -> int:
    line = next((each for each in text.splitlines() if each.startswith("GENERATION")), "= -1")
    return int(line.rpartition("=")[2])


@pytest.fixture
def earlier(tmp_path: Path) -> Path:
    """Checkout of the oldest compatible commit."""
    if not git("rev-parse", "HEAD"):
        pytest.skip("this is no clone: there is no history to take earlier code from")
    commits = list(earlier_commits())
    if not commits:
        pytest.skip("no earlier commit in this history may run on this schema")
    return checkout(commits[-1], tmp_path / "earlier")


def checkout(commit: str, folder: Path) -> Path:
    archive = subprocess.run(["git", "archive", commit], cwd=ROOT, capture_output=True, check=True)
    with tarfile.open(fileobj=BytesIO(archive.stdout)) as files:
        files.extractall(folder, filter="data")
    return folder


@pytest.fixture
def unmigrated(server: str, tmp_path: Path) -> Iterator[Installation]:
    with installation(tmp_path, server, is_migrated=False) as made:
        yield made


def test_earlier_code_and_this_one_share_a_database_and_lose_nothing(earlier, unmigrated):
    made, load = unmigrated, load_of(ITEMS)
    poster = Poster(load.posts, lambda: address_of(made), KEY)
    jobs = Jobs(lambda: address_of(made))
    roll(made, earlier, poster, jobs, len(load.posts))
    assert Console(made.products[0], "").settled("outcomes?limit=1")
    jobs.finish()
    assert jobs.problems() == []
    made.stop()
    stored = stored_by(made.data("admin"), made.environment("admin"))
    assert stored["differences"] == []
    assert (stored["calls"], stored["events"]) == (len(load.kinds), load.events)
    assert (stored["waiting"], stored["rejected"]) == (0, 0)


def roll(made: Installation, earlier: Path, poster: Poster, jobs: Jobs, posts: int) -> None:
    """Send a third of the posts to the earlier code, a third to both, a third to the new code."""
    old = made.start("old", "up", root=earlier).wait_until_served()
    poster.start(2)
    jobs.start()
    go_on(poster, posts // 3)
    made.manage("migrate")
    old = restarted(made, old, earlier)  # it also starts on the newer schema
    for role in ("web", "worker", "scheduler"):
        made.start(f"new-{role}", role)
    for each in made.products:
        each.wait_until_served()
    go_on(poster, 2 * posts // 3)
    made.products.remove(old)
    old.stop()
    go_on(poster, posts)


def go_on(poster: Poster, posts: int) -> None:
    poster.let(posts)
    poster.wait_for(posts)


def restarted(made: Installation, old: Product, earlier: Path) -> Product:
    made.products.remove(old)
    old.stop()
    again = made.start("old", "up", root=earlier).wait_until_served()
    status, answer = Console(again, "").ask("GET", "health/ready")
    assert (status, answer["status"]) == (200, "ok")
    return again


def address_of(made: Installation) -> tuple[str, int]:
    """Address of a running web process, by turns."""
    webs = [each for each in made.products if each.note.get("url")]
    made.turn += 1
    if not webs:
        return "127.0.0.1", 9  # no web process responds while the only one restarts
    host, _, port = webs[made.turn % len(webs)].url.removeprefix("http://").rpartition(":")
    return host, int(port)
