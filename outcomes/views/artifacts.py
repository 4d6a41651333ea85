"""Downloads of artifacts: whoever may read the project may have the bytes, never as a page."""

from collections.abc import Iterator

from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_safe

from governance.auth import MemberRequest, member_page
from governance.domain.errors import NotFound
from outcomes import artifact_store, queries

EXTENSIONS = {"text/plain": ".txt", "application/json": ".json"}


@require_safe
@member_page()
def raw(request: MemberRequest, sha256: str) -> HttpResponseBase:
    artifact = queries.artifact_with(request.project.pk, sha256, None)
    if artifact is None:
        raise NotFound("There is no such artifact.")
    try:
        reader = artifact_store.Reader(request.project.pk, sha256)
    except artifact_store.NotStored as error:
        raise NotFound("The bytes of this artifact are gone.") from error
    kind = artifact.media_type.partition(";")[0].strip().lower()
    # An agent names the type: what a browser would run must not come under its own name.
    known = kind if kind in EXTENSIONS else "application/octet-stream"
    response = StreamingHttpResponse(_Content(reader), content_type=known)
    response.headers["Content-Length"] = str(reader.size_bytes)
    name = sha256[:12] + EXTENSIONS.get(kind, ".bin")
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    response.headers["Content-Security-Policy"] = "sandbox"
    response.headers["X-Content-Type-Options"] = "nosniff"
    return response


class _Content:
    """The pieces of an artifact; closed with its response, also when nobody took a piece."""

    def __init__(self, reader: artifact_store.Reader) -> None:
        self._reader = reader
        self.close = reader.close

    def __iter__(self) -> Iterator[bytes]:
        return self._reader.bytes_of(0, self._reader.size_bytes)
