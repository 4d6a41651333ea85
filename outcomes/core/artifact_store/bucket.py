"""Artifacts in an object store: S3 and compatible services, Google Cloud Storage, Azure.

The client is the package `obstore`. An object becomes visible under its name only once it is
complete, so nothing is ever half stored.
"""

import logging
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import IO, Any, Final

import obstore
from obstore.exceptions import (
    BaseError,
    NotSupportedError,
    PermissionDeniedError,
    UnauthenticatedError,
)
from obstore.store import ObjectStore

from outcomes.core.artifact_store.breaker import Breaker
from outcomes.core.artifact_store.faults import NotHere, StoreAway
from outcomes.core.artifact_store.frames import MAGIC
from outcomes.core.artifact_store.places import Entry, key_of

IN_MEMORY: Final = 1024 * 1024
PART: Final = 5 * 1024 * 1024  # of a multipart upload: the minimum on S3
MOST_PARTS: Final = 9_000  # the limit on S3 is 10,000
PARTS_AT_ONCE: Final = 2
END: Final = 64 * 1024  # of an object: the index of up to 680 MiB, or a small artifact
LISTED: Final = 1_000  # names per request
_TRIAL: Final = "trial"
_MARK: Final = "installation"
_KEY: Final = re.compile(r"([0-9]+)/([0-9a-f]{2})/([0-9a-f]{64})")
_STATUS: Final = re.compile(r"status code: (\d{3})")
_CODE: Final = re.compile(r'<Code>(\w+)</Code>|"reason": "(\w+)"')
_NO_BUCKET: Final = ("NoSuchBucket", "ContainerNotFound", "bucket does not exist")
_NO_RANGE: Final = ("416", "non-partial")
_NO_CREDENTIALS: Final = ("169.254.169.254", "metadata.google.internal")

CLIENT: Final = {
    "connect_timeout": timedelta(seconds=3),
    "read_timeout": timedelta(seconds=10),
    "timeout": timedelta(seconds=120),
}
# For a probe, which a request waits for: a slower store is reported as a fault.
QUICK: Final = {
    "connect_timeout": timedelta(seconds=1),
    "timeout": timedelta(seconds=2),
}
RETRIES: Final = {
    "max_retries": 3,
    "retry_timeout": timedelta(seconds=10),
    "backoff": {
        "init_backoff": timedelta(milliseconds=100),
        "max_backoff": timedelta(seconds=2),
        "base": 2,
    },
}

logger = logging.getLogger(__name__)


class Bucket:
    at_once = 16

    def __init__(self, name: str, store: ObjectStore, quick: ObjectStore, *, spool: Path) -> None:
        self.name = name
        self.objects, self._quick = store, quick
        self._spool = spool  # folder for uploads in progress
        self._breaker = Breaker()
        self._process = 0

    @property
    def folder(self) -> None:
        return None

    @contextmanager
    def draft(self, project_id: int) -> Iterator["_Draft"]:
        self._breaker.check()
        self._spool.mkdir(mode=0o700, exist_ok=True)
        with tempfile.SpooledTemporaryFile(IN_MEMORY, dir=str(self._spool)) as file:
            yield _Draft(self, project_id, file)

    def open(self, project_id: int, sha256: str) -> "_Object":
        return _Object(self, key_of(project_id, sha256), sha256)

    def size_of(self, project_id: int, sha256: str) -> int | None:
        key = key_of(project_id, sha256)
        try:
            with self._asking() as store:
                return int(store.head(key)["size"])
        except FileNotFoundError:
            self._find_bucket()
            return None

    def put(self, project_id: int, sha256: str, file: IO[bytes], size: int) -> None:
        key = key_of(project_id, sha256)
        if size > PART and self.size_of(project_id, sha256) == size:
            return
        try:
            with self._asking() as store:
                if size <= PART:
                    store.put(key, file.read(), use_multipart=False)
                else:
                    part = max(PART, size // MOST_PARTS)
                    store.put(key, file, chunk_size=part, max_concurrency=PARTS_AT_ONCE)
        except FileNotFoundError:
            raise StoreAway(_NO_SUCH_BUCKET, is_setting=True) from None

    def remove(self, project_id: int, sha256: str) -> None:
        with self._asking() as store:
            store.delete(key_of(project_id, sha256))

    def entries(self, project_id: int | None = None, beginning: str = "") -> Iterator[Entry]:
        of = self.project_ids() if project_id is None else [project_id]
        for project in of:
            # Not every store supports prefixes that end within a path segment.
            below = f"{project}/{beginning[:2]}" if len(beginning) >= 2 else f"{project}"
            for entry in self._listed(below):
                if entry.sha256.startswith(beginning):
                    yield entry

    def _listed(self, below: str) -> Iterator[Entry]:
        pages = iter(self.objects.list(below, chunk_size=LISTED))  # sends no request yet
        while True:
            with self._asking():
                page = next(pages, None)
            if page is None:
                return
            for each in page:
                if match := _KEY.fullmatch(each["path"]):
                    yield Entry(int(match[1]), match[3], each["size"], each["last_modified"])

    def project_ids(self) -> list[int]:
        with self._asking() as store:
            folders = store.list_with_delimiter()["common_prefixes"]
        return sorted(int(each) for each in folders if each.isdecimal())

    def remove_drafts(self, *, older_than: timedelta) -> int:
        """Nothing to remove: drafts are unnamed files, which end with their process."""
        return 0

    def drafts(self, *, older_than: timedelta) -> int:
        """Always 0, as above."""
        return 0

    def try_to_write(self) -> None:
        """Probe the store. A slow response is a fault here, but stops no other requests."""
        self._refuse_after_fork()
        self._breaker.check()
        try:
            self._quick.put(_TRIAL, MAGIC)
        except (BaseError, FileNotFoundError) as error:
            raise _away(error) from None
        self._breaker.worked()

    def mark(self) -> str:
        try:
            with self._asking() as store:
                return bytes(store.get(_MARK).bytes()).decode("ascii", "replace")
        except FileNotFoundError:
            self._find_bucket()
            return ""

    def set_mark(self, mark: str) -> None:
        with self._asking() as store:
            store.put(_MARK, mark.encode("ascii"))

    def end_of(self, key: str) -> tuple[dict[str, Any], bytes]:
        """Properties of an object, and its last bytes."""
        with self._asking() as store:
            try:
                result = store.get(key, options={"range": {"suffix": END}})
            except BaseError as error:
                # Azure does not support suffix ranges, and no store returns the end of an empty
                # object.
                if not isinstance(error, NotSupportedError) and not _names(error, _NO_RANGE):
                    raise
                meta: dict[str, Any] = dict(store.head(key))
                if not meta["size"]:
                    return meta, b""
                start = max(0, meta["size"] - END)
                result = store.get(key, options={"range": {"offset": start}})
            return dict(result.meta), bytes(result.bytes())

    def part_of(self, key: str, start: int, stop: int, e_tag: str | None) -> bytes:
        with self._asking() as store:
            options: obstore.GetOptions = {"range": (start, stop), "if_match": e_tag}
            return bytes(store.get(key, options=options).bytes())

    def _find_bucket(self) -> None:
        """Raise if the bucket is missing, not just the object."""
        with self._asking() as store:
            next(iter(store.list("0", chunk_size=1)), None)

    @contextmanager
    def _asking(self) -> Iterator[ObjectStore]:
        self._refuse_after_fork()
        began = self._breaker.begin()
        try:
            yield self.objects
        except FileNotFoundError as error:
            if not _names(error, _NO_BUCKET):
                self._breaker.worked()
                raise
            raise self._failed(began, error) from None
        except BaseError as error:
            raise self._failed(began, error) from None
        else:
            self._breaker.worked()

    def _failed(self, began: float, error: Exception) -> StoreAway:
        away = _away(error)
        self._breaker.failed(began, away)
        logger.warning("Artifact store: %s%s", _first_line(error), _code_in(error))
        return away

    def _refuse_after_fork(self) -> None:
        """Raise in a forked process: the library has threads, and hangs if used before a fork."""
        if not self._process:
            self._process = os.getpid()
        elif self._process != os.getpid():
            raise RuntimeError("The object store was used before this process was forked.")


class _Draft:
    def __init__(self, bucket: Bucket, project_id: int, file: IO[bytes]) -> None:
        self._bucket, self._project_id, self._file = bucket, project_id, file
        self.write = file.write

    def keep(self, sha256: str) -> None:
        size = self._file.tell()
        self._file.seek(0)
        self._bucket.put(self._project_id, sha256, self._file, size)


class _Object:
    """An object opened for reading. Reads fail if it is replaced meanwhile."""

    def __init__(self, bucket: Bucket, key: str, sha256: str) -> None:
        self._bucket, self._key = bucket, key
        try:
            meta, self._end = bucket.end_of(key)
        except FileNotFoundError:
            bucket.size_of(*_names_in(key))  # raises if the bucket is missing
            raise NotHere(sha256) from None
        self.size = int(meta["size"])
        self._e_tag: str | None = meta["e_tag"]
        self._end_at = self.size - len(self._end)

    def read(self, start: int, stop: int) -> bytes:
        if start >= self._end_at:
            return self._end[start - self._end_at : stop - self._end_at]
        return self._bucket.part_of(self._key, start, stop, self._e_tag)

    def close(self) -> None:
        self._end = b""


def _names_in(key: str) -> tuple[int, str]:
    project, _, sha256 = key.split("/")
    return int(project), sha256


_NO_SUCH_BUCKET: Final = "the bucket does not exist"


def _away(error: Exception) -> StoreAway:
    if _names(error, _NO_BUCKET):
        return StoreAway(_NO_SUCH_BUCKET, is_setting=True)
    if _names(error, _NO_CREDENTIALS):
        return StoreAway("it has no credentials", is_setting=True)
    status = _STATUS.search(str(error))
    is_denied = status is not None and status[1] in {"401", "403"}  # listing has no error for it
    if is_denied or isinstance(error, PermissionDeniedError | UnauthenticatedError):
        return StoreAway(f"access is denied{_code_in(error)}", is_setting=True)
    if status:
        return StoreAway(f"it answers {status[1]}{_code_in(error)}")
    return StoreAway("it does not answer")


def _code_in(error: Exception) -> str:
    code = _CODE.search(str(error))
    return f" ({code[1] or code[2]})" if code else ""


def _names(error: Exception, texts: tuple[str, ...]) -> bool:
    return any(each in str(error) for each in texts)


def _first_line(error: Exception) -> str:
    """First line of an error without URL parameters, some of which are signatures."""
    return re.sub(r"(?<=[\w/])\?\S*", "?…", str(error).partition("\n")[0])
