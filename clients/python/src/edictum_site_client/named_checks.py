"""Success checks by name: stored by the console, run by the agent.

The download is a document, never code. The agent evaluates it with a copy of the console's own
matcher, so both reach the same verdict. If a refresh fails, the last good version stays in use.
"""

from __future__ import annotations

import json
import logging
import os
import tempfile
import urllib.parse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from edictum_site_client.checks import SuccessCheck
from edictum_site_client.site.matcher import Explanation, UnknownFormat, build, plain
from edictum_site_client.transport import LARGEST_FILE, File

if TYPE_CHECKING:
    from edictum_site_client.refreshing import Refresher

logger = logging.getLogger("edictum_site_client")

CUSTOM = "custom"  # any check function that the agent defines
CANNOT_JUDGE = "cannot-judge"  # a rule name in explanations, like `fallback`

Fetch = Callable[[str, str], File]  # takes a path and an ETag


class CheckUnavailable(Exception):
    """The check could not be loaded from the console or from a file."""


class Refused(Exception):
    """The response is not the requested check; the message says why."""


@dataclass(frozen=True)
class Held:
    """Fetched check, ready to run."""

    version: int
    etag: str
    judge: Callable[[str, Any, float | None], Explanation]
    origin: str  # `console` or `file`


class Followed:
    """Last fetched version of one check, shared by all its users."""

    def __init__(self, name: str, pinned: int | None, file: Path | None) -> None:
        self.name = name
        self.pinned = pinned
        self.file = file
        self.held: Held | None = None
        self.last_error = ""

    @property
    def path(self) -> str:
        path = f"success-checks/{urllib.parse.quote(self.name, safe='')}.json"
        return path if self.pinned is None else f"{path}?version={self.pinned}"

    @property
    def settled(self) -> bool:
        """True for a pinned version that was fetched: it never changes."""
        held = self.held
        return self.pinned is not None and held is not None and held.origin == "console"

    def refresh(self, fetch: Fetch) -> bool:
        """Fetch the check. On failure, return False and keep the version in use."""
        try:
            self._take(fetch)
        except Exception as error:  # noqa: BLE001 - whatever it was, the last good one stays
            self._note(str(error) or type(error).__name__)
            return False
        self.last_error = ""
        return True

    def read_file(self) -> None:
        """Load the copy cached by an earlier process; ignore a missing or broken file."""
        if self.file is None:
            return
        try:
            stored = json.loads(self.file.read_bytes())
            self.held = self._held(stored["check"], str(stored["etag"]), "file")
        except FileNotFoundError:
            return
        except Exception as error:  # noqa: BLE001 - whatever it holds, the console has a newer one
            logger.warning(
                "Edictum Site: file %s has no valid check %s: %s", self.file, self.name, error
            )

    def _take(self, fetch: Fetch) -> None:
        held = self.held
        answer = fetch(self.path, held.etag if held else "")
        if answer.status == 304 and held is not None:
            self.held = Held(held.version, held.etag, held.judge, "console")
            return
        if answer.status != 200:
            raise Refused(_error_text(answer))
        if len(answer.body) >= LARGEST_FILE:
            raise Refused(f"The file is larger than {LARGEST_FILE:,} bytes.")
        compiled = json.loads(answer.body)
        self.held = self._held(compiled, answer.etag, "console")
        self._write_file(compiled, answer.etag)

    def _held(self, compiled: Any, etag: str, origin: str) -> Held:
        if not isinstance(compiled, dict) or compiled.get("name") != self.name:
            raise Refused(f"The answer is not a check named {self.name}.")
        version = compiled.get("version")
        if not isinstance(version, int) or self.pinned not in (None, version):
            raise Refused(f"The answer is version {version} instead of {self.pinned}.")
        try:
            return Held(version, etag, build(compiled), origin)
        except UnknownFormat as error:
            raise Refused(f"{error} Is a newer edictum-site-client needed?") from error

    def _write_file(self, compiled: Any, etag: str) -> None:
        if self.file is None:
            return
        try:
            handle, name = tempfile.mkstemp(dir=self.file.parent, prefix=f".{self.file.name}.")
            try:
                with os.fdopen(handle, "w", encoding="utf-8") as copy:
                    json.dump({"etag": etag, "check": compiled}, copy)
                Path(name).replace(self.file)  # atomic: another process may be reading it
            except BaseException:
                Path(name).unlink()
                raise
        except OSError as error:
            logger.warning("Edictum Site: file %s could not be written: %s", self.file, error)

    def judged(
        self, held: Held, tool_name: str, result: Any, elapsed_ms: float | None
    ) -> Explanation:
        """Verdict with its reason. Never raises, since a broken check must not stop the agent."""
        try:
            return held.judge(tool_name, plain(result), elapsed_ms)
        except Exception as error:  # noqa: BLE001 - a document may be wrong in any place
            reason = f"Version {held.version} cannot judge this result: {error!r}"[:500]
            self._note(reason)
            return Explanation("unknown", CANNOT_JUDGE, reason=reason)

    def _note(self, error: str) -> None:
        if error != self.last_error:  # log each reason once, or an outage would fill the log
            self.last_error = error
            logger.warning("Edictum Site: the success check %s: %s", self.name, error)


class NamedCheck:
    """Check to pass as `success_check=` or to call directly; thread-safe."""

    def __init__(
        self, followed: Followed, refresher: Refresher, fallback: SuccessCheck | None
    ) -> None:
        self._followed = followed
        self._refresher = refresher
        self._fallback = fallback

    def __repr__(self) -> str:
        return f"NamedCheck({self.name!r}, version={self.version})"

    @property
    def name(self) -> str:
        return self._followed.name

    @property
    def version(self) -> int | None:
        """Version in use, or None if there is only the fallback."""
        held = self._followed.held
        return held.version if held else None

    @property
    def last_error(self) -> str:
        """Error of the last request to the console; empty if it succeeded."""
        return self._followed.last_error

    def __call__(self, tool_name: str, result: Any) -> bool:
        return self.explain(tool_name, result).verdict != "failure"

    def explain(self, tool_name: str, result: Any, elapsed_ms: float | None = None) -> Explanation:
        if not self._followed.settled:
            self._refresher.run()
        held = self._followed.held
        if held is not None:
            return self._followed.judged(held, tool_name, result, elapsed_ms)
        if self._fallback is None:
            raise CheckUnavailable(f"The success check {self.name} has not been fetched yet.")
        verdict = "success" if self._fallback(tool_name, result) else "failure"
        return Explanation(verdict, "fallback")


def judged_by(check: SuccessCheck | None) -> dict[str, Any]:
    """Metadata naming the check, so the console uses its verdict and can detect old versions."""
    if check is None:
        return {}
    if not isinstance(check, NamedCheck):
        return {"success_check": {"name": CUSTOM}}
    return {"success_check": {"name": check.name, "version": check.version}}


def _error_text(answer: File) -> str:
    try:
        detail = str(json.loads(answer.body)["detail"])
    except (ValueError, LookupError, TypeError):
        detail = answer.body[:300].decode("utf-8", "replace")
    return f"HTTP {answer.status}: {detail}"
