"""Named success checks as files over HTTP, for agents too; and the schema of their language."""

import json

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response
from ninja import Query, Router

from governance.checks.authoring.schema import JSON_SCHEMA
from governance.checks.queries.exports import KINDS, export_of
from governance.checks.schemas import ExportQuery
from governance.core.errors import NotFound
from governance.models import Project
from governance.people.auth import AccessRequest, KeyOrMember
from governance.people.queries.projects import project_numbered

router = Router(tags=["success checks"])
CAN_TAKE = KeyOrMember("read", "agent")
_SCHEMA = json.dumps(JSON_SCHEMA, ensure_ascii=False, indent=1).encode()


@router.get("/success-checks/{name}.py", auth=CAN_TAKE, response={200: None, 304: None})
def get_check_python(
    request: AccessRequest, name: str, query: Query[ExportQuery]
) -> HttpResponseBase:
    """One file that needs nothing beside the standard library."""
    return _file(request, name, "py", query)


@router.get("/success-checks/{name}.ts", auth=CAN_TAKE, response={200: None, 304: None})
def get_check_typescript(
    request: AccessRequest, name: str, query: Query[ExportQuery]
) -> HttpResponseBase:
    return _file(request, name, "ts", query)


@router.get("/success-checks/{name}.json", auth=CAN_TAKE, response={200: None, 304: None})
def get_check_json(
    request: AccessRequest, name: str, query: Query[ExportQuery]
) -> HttpResponseBase:
    """The compiled check, which `edictum-site-client` carries out."""
    return _file(request, name, "json", query)


@router.get("/success-checks/{name}.yaml", auth=CAN_TAKE, response={200: None, 304: None})
def get_check_yaml(
    request: AccessRequest, name: str, query: Query[ExportQuery]
) -> HttpResponseBase:
    """Byte for byte as it was written."""
    return _file(request, name, "yaml", query)


@router.get("/success-check-schema", auth=None, response={200: None})
def get_check_schema(request: HttpRequest) -> HttpResponse:
    """The JSON Schema of the language, without a key: editors ask for it themselves."""
    answer = HttpResponse(_SCHEMA, content_type="application/schema+json")
    answer["Access-Control-Allow-Origin"] = "*"
    answer["Cache-Control"] = "public, max-age=3600"
    return answer


def file_answer(
    request: HttpRequest, project: Project, name: str, kind: str, version: int | None
) -> HttpResponseBase:
    export = export_of(project, name, version)
    if export is None:
        raise NotFound("Check or version not found.")
    etag = f'"{export.tag(kind)}"'
    answer = get_conditional_response(request, etag=etag)
    if answer is None:
        answer = HttpResponse(export.content(kind), content_type=KINDS[kind].media_type)
        answer["Content-Disposition"] = f'attachment; filename="{export.file_name(kind)}"'
    answer["ETag"] = etag
    answer["Cache-Control"] = "private, no-cache"
    return answer


def _file(request: AccessRequest, name: str, kind: str, query: ExportQuery) -> HttpResponseBase:
    project = project_numbered(request.auth.project_id)
    return file_answer(request, project, name, kind, query.version)
