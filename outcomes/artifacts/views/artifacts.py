"""Bytes of artifacts for browsers, never as a page. Unmasked bytes are for operators only and
audited. All members can see raster images."""

from typing import Any, Final

from django.http import FileResponse
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_safe

from governance.core.errors import NotFound
from governance.people.auth import MemberRequest, member_page
from governance.people.policies import Action
from outcomes.artifacts.commands.artifacts import note_download
from outcomes.artifacts.domain.pieces.plain import PLAIN, kind_of, plain_type
from outcomes.artifacts.queries.artifacts import artifact_with
from outcomes.artifacts.queries.pieces import image_in
from outcomes.core import artifact_store
from outcomes.core.artifact_store import Part, Reader
from outcomes.models import Artifact

EXTENSIONS: Final = {
    **PLAIN,
    "image/png": ".png",
    "image/jpeg": ".jpg",
    "image/gif": ".gif",
    "image/webp": ".webp",
}


@require_safe
@member_page(Action.OPEN_VALUE)
def raw(request: MemberRequest, sha256: str) -> HttpResponseBase:
    artifact, reader = _opened(request, sha256)
    if request.method == "GET":
        note_download(artifact, by=request.actor)
    response = _sent(reader, plain_type(artifact.media_type), "sandbox")
    name = sha256[:12] + EXTENSIONS.get(kind_of(artifact.media_type), ".bin")
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@require_safe
@member_page()
def image(request: MemberRequest, picture: str) -> HttpResponseBase:
    """Raster image to show on a page, with the media type detected from its first bytes."""
    _, reader = _opened(request, picture)
    try:
        image = image_in(reader)
    except (artifact_store.NotStored, OSError):
        image = None
    if image is None or not image.is_bearable:
        reader.close()
        raise NotFound("This artifact cannot be shown as an image.")
    response = _sent(reader, image.media_type, "default-src 'none'; sandbox")
    response.headers["Content-Disposition"] = "inline"
    response.headers["Cross-Origin-Resource-Policy"] = "same-origin"
    return response


def _opened(request: MemberRequest, sha256: str) -> tuple[Artifact, Reader]:
    artifact = artifact_with(request.project.pk, sha256, None)
    if artifact is None:
        raise NotFound("Artifact not found.")
    try:
        return artifact, Reader(request.project.pk, sha256)
    except (artifact_store.NotStored, OSError) as error:
        raise NotFound("The content of this artifact is unavailable.") from error


def _sent(reader: Reader, kind: str, policy: str) -> HttpResponseBase:
    # A file, not a generator: the server sends files without occupying a thread.
    part: Any = Part(reader, 0, reader.size_bytes)
    try:
        part.begin()
    except (artifact_store.NotStored, OSError) as error:
        part.close()
        raise NotFound("The content of this artifact is unavailable.") from error
    response = FileResponse(part, content_type=kind)
    response.headers["Content-Length"] = str(reader.size_bytes)
    response.headers["Content-Security-Policy"] = policy
    response.headers["X-Content-Type-Options"] = "nosniff"
    return response
