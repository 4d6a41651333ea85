"""Artifacts: streamed in, and read whole, by byte range or by line range."""

import errno
import re
from collections.abc import Iterator
from typing import Any

from django.http import FileResponse, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from ninja import Query

from governance.core.actor import ActorKind
from governance.core.errors import NotFound
from governance.people.auth import Access, AccessRequest, KeyAuth, KeyOrMember
from governance.people.domain import Scope
from governance.people.policies import Action, may, refuse_unless
from outcomes.artifacts.commands.artifacts import note_download, note_fetch, store_artifact
from outcomes.artifacts.domain.pieces.plain import plain_type
from outcomes.artifacts.queries.artifacts import artifact_with
from outcomes.artifacts.schemas import LinesQuery
from outcomes.core import artifact_store
from outcomes.ingest.commands import back_pressure
from outcomes.ingest.domain import Post
from outcomes.models import Artifact
from outcomes.record.wire import BodyRefused
from outcomes.web.api import ARTIFACT, PARTS, answer, router

FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
CHUNK = 256 * 1024
RETRY_AFTER = 10  # seconds: a folder is not mounted in less
_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})")


@router.post("/artifacts", auth=KeyAuth("ingest"), response={201: None}, openapi_extra=ARTIFACT)
def post_artifact(request: AccessRequest) -> HttpResponse:
    back_pressure.refuse_if_full(Post.ARTIFACTS, request.auth.project_id)
    try:
        artifact = store_artifact(
            _pieces(request),
            media_type=request.headers.get("Content-Type") or "application/octet-stream",
            access=request.auth,
        )
    except OSError as error:
        if error.errno not in FULL:
            raise store_away(error) from error
        raise BodyRefused(507, "disk_full", "The disk for artifacts is full.") from error
    return answer(
        {
            "artifact_id": artifact.sha256,
            "size_bytes": artifact.size_bytes,
            "sha256": artifact.sha256,
        },
        status=201,
    )


@router.get(
    "/artifacts/{artifact_id}",
    auth=KeyOrMember("read", "agent"),
    response={200: None, 206: None},
    openapi_extra=PARTS,
)
def get_artifact(
    request: AccessRequest, artifact_id: str, query: Query[LinesQuery]
) -> HttpResponseBase:
    access = request.auth
    artifact, is_agents = _readable(access, artifact_id)
    # A browser would take a script from here: it is told no more than on the console's pages.
    is_browser = access.actor.kind is ActorKind.PERSON
    media_type = plain_type(artifact.media_type) if is_browser else artifact.media_type
    sent = send(request, artifact.project_id, artifact.sha256, media_type, query.lines)
    # Who asks for the head alone is answered as if it were all, and has read nothing.
    is_read = request.META["REQUEST_METHOD"] == "GET" and sent.status_code < 400
    if is_read and Scope.AGENT in access.scopes:
        note_fetch(artifact)
    if is_read and not is_agents:
        note_download(artifact, by=access.actor)
    return sent


def _readable(access: Access, artifact_id: str) -> tuple[Artifact, bool]:
    """An agent's key reads what calls of its own environment refer to. Bytes are not masked: all
    else takes the right to open values. And whether it is an agent that reads."""
    if Scope.AGENT in access.scopes:
        artifact = artifact_with(access.project_id, artifact_id, access.environment_id)
        if artifact is not None or not may(access.actor, Action.OPEN_VALUE):
            return _existing(artifact), True
    refuse_unless(access.actor, Action.OPEN_VALUE)
    return _existing(artifact_with(access.project_id, artifact_id, None)), False


def _existing(artifact: Artifact | None) -> Artifact:
    if artifact is None:
        raise NotFound("Artifact not found.")
    if artifact.removed_at is not None:
        raise NotFound("Retention removed the content of this artifact.")
    return artifact


def send(
    request: HttpRequest, project_id: int, sha256: str, media_type: str, lines: str | None
) -> HttpResponseBase:
    try:
        reader = artifact_store.Reader(project_id, sha256)
    except OSError as error:  # there is a row of it, so it is the place that is at fault
        raise store_away(error) from error
    except artifact_store.NotStored:
        raise NotFound("The artifact's content was removed.") from None
    size, status = reader.size_bytes, 200
    start, stop = 0, size
    headers = {"Accept-Ranges": "bytes", "X-Content-Type-Options": "nosniff",
               "Content-Security-Policy": "sandbox", "ETag": f'"{sha256}"'}  # fmt: skip
    if lines is not None:
        first, last = (int(number) for number in lines.split("-"))
        try:
            start, stop = reader.place_of_lines(first, last)
            in_all = reader.lines
        except OSError as error:
            reader.close()
            raise store_away(error) from error
        except artifact_store.NotStored:
            reader.close()
            raise NotFound("The artifact's content was removed.") from None
        if first > in_all:  # as of bytes: nothing would look like a line that is empty
            reader.close()
            return HttpResponse(status=416, headers={"X-Edictum-Lines": f"*/{in_all}"})
        headers["X-Edictum-Lines"] = f"{first}-{min(last, in_all)}/{in_all}"
    elif ranged := _range_of(request.headers.get("Range", ""), size):
        start, stop = ranged
        if start >= size or start >= stop:
            reader.close()
            return HttpResponse(status=416, headers={"Content-Range": f"bytes */{size}"})
        status, headers["Content-Range"] = 206, f"bytes {start}-{stop - 1}/{size}"
    part = _begun(artifact_store.Part(reader, start, stop))
    response = FileResponse(part, content_type=media_type, status=status, headers=headers)
    response.headers["Content-Length"] = str(stop - start)
    return response


def _begun(part: artifact_store.Part) -> Any:
    """A file, not a generator: the front reads files without holding one of its threads."""
    try:
        part.begin()
    except OSError as error:
        part.close()
        raise store_away(error) from error
    except artifact_store.NotStored:
        part.close()
        raise NotFound("The artifact's content was removed.") from None
    return part


def store_away(error: OSError) -> BodyRefused:
    detail = artifact_store.fault_words(error)
    return BodyRefused(503, "store_unavailable", detail, retry_after=RETRY_AFTER)


def _pieces(request: HttpRequest) -> Iterator[bytes]:
    while piece := request.read(CHUNK):
        yield piece


def _range_of(header: str, size: int) -> tuple[int, int] | None:
    """The bytes asked for, from the first up to, not including, the last; None for all of them."""
    match = _RANGE.fullmatch(header.strip())
    if match is None or match.group(1) == match.group(2) == "":
        return None
    first, last = match.groups()
    if first == "":
        return max(size - int(last), 0), size
    start = int(first)
    if last != "" and int(last) < start:
        return None
    return start, min(int(last) + 1, size) if last else size
