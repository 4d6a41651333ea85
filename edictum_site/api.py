"""The one API: its routers, and the one place where an error gets its status."""

import logging
import re
from collections.abc import Callable, Mapping
from functools import cache, wraps
from typing import Any

from django.db import DatabaseError, InternalError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from ninja.errors import HttpError, ValidationError

from edictum_site.described import DescribedAPI
from edictum_site.errors import api_error
from edictum_site.front.replies import AWAY
from governance.api import router as governance_router
from governance.checks.api.checks import reached_by_the_name
from governance.contracts.api.contracts import read_by_the_name
from governance.core import errors
from governance.people.auth import KeyOrMember
from outcomes.api import router as outcomes_router
from outcomes.backtesting.api import router as backtests_router
from outcomes.check_editor.api import router as trying_checks_router
from outcomes.models.faults import end_session_if_read_only, is_away
from outcomes.reclassification.api import check_backtests, reclassifications
from outcomes.record.wire import BodyRefused

logger = logging.getLogger(__name__)

STATUS: dict[type[errors.GovernanceError], int] = {
    errors.Unauthenticated: 401,
    errors.Forbidden: 403,
    errors.NotFound: 404,
    errors.Conflict: 409,
    errors.TooManyRequests: 429,
    errors.InvalidInput: 422,
    errors.DocumentInvalid: 422,
    errors.CallInvalid: 422,
    errors.EvaluationLimit: 422,
    errors.EvaluationUnavailable: 503,
}
CODES = {400: "bad_request", 401: "unauthenticated", 403: "forbidden", 413: "too_large"}

# Without a docs page: the one that ninja brings needs what our content policy forbids.
api = DescribedAPI(
    title="Edictum Site",
    version="1",
    docs_url=None,
    openapi_url="/openapi.json",
    urls_namespace="api",
)


@api.exception_handler(errors.GovernanceError)
def refuse(request: HttpRequest, error: errors.GovernanceError) -> HttpResponse:
    status = next((STATUS[kind] for kind in type(error).__mro__ if kind in STATUS), 400)
    problems = [
        {
            "path": problem.path,
            "line": problem.line,
            "column": problem.column,
            "message": problem.message,
        }
        for problem in error.errors
    ]
    response = api_error(status, error.code, str(error), problems)
    if status == 401:
        response.headers["WWW-Authenticate"] = "Bearer"
    if status == 503:
        response.headers["Retry-After"] = "2"
    if isinstance(error, errors.TooManyRequests):
        response.headers["Retry-After"] = str(error.retry_after)
    return response


@api.exception_handler(BodyRefused)
def refuse_body(request: HttpRequest, error: BodyRefused) -> HttpResponse:
    response = api_error(error.status, error.code, error.detail)
    if error.retry_after:
        response.headers["Retry-After"] = str(error.retry_after)
    return response


@api.exception_handler(OperationalError)
@api.exception_handler(InternalError)
def database_away(request: HttpRequest, error: DatabaseError) -> HttpResponse:
    """Locked, full, stopping, gone, read-only: nothing was acknowledged, and the same may work
    soon."""
    if not is_away(error):
        raise error
    end_session_if_read_only(error)
    logger.error("Database error; the request was answered with 503", exc_info=error)
    response = api_error(503, "database_unavailable", AWAY)
    response.headers["Retry-After"] = "1"
    return response


@api.exception_handler(ValidationError)
def misfit(request: HttpRequest, error: ValidationError) -> HttpResponse:
    problems = [
        # The first two parts name the source and our parameter, which its sender never wrote.
        problem(".".join(map(str, _written(each["loc"]))), _message(each))
        for each in error.errors
    ]
    return api_error(422, "invalid", _summary(problems), problems)


@api.exception_handler(HttpError)
def plain_error(request: HttpRequest, error: HttpError) -> HttpResponse:
    code = CODES.get(error.status_code, "refused")
    return api_error(error.status_code, code, str(error))


@api.exception_handler(Http404)
def nothing_there(request: HttpRequest, error: Http404) -> HttpResponse:
    return api_error(404, "not_found", str(error) or "Not found. Check the URL and its IDs.")


def problem(path: str, message: str) -> dict[str, Any]:
    return {"path": path, "line": None, "column": None, "message": message}


def _message(error: Mapping[str, Any]) -> str:
    """Message of pydantic, without the prefix that it adds to a sentence of our own."""
    return str(error["ctx"]["error"]) if error["type"] == "value_error" else str(error["msg"])


def _written(place: tuple[Any, ...]) -> tuple[Any, ...]:
    return place[2:] if place[0] == "body" else place[1:]


def _summary(problems: list[dict[str, Any]]) -> str:
    first = problems[0]
    return f"{first['path']}: {first['message']}" if first["path"] else str(first["message"])


def known_queries_only(run: Callable[..., Any]) -> Callable[..., Any]:
    """In the management family a query parameter that no route knows is a mistake to tell."""

    @wraps(run)
    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        if request.GET and request.resolver_match:
            known = queries_of_routes().get((_path(request.resolver_match.route), request.method))
            unknown = sorted(set(request.GET) - known) if known is not None else []
            if unknown:
                problems = [problem(name, "Unknown parameter.") for name in unknown]
                return api_error(422, "unknown_parameter", _summary(problems), problems)
        return run(request, *args, **kwargs)

    return checked


@cache
def queries_of_routes() -> dict[tuple[str, str | None], frozenset[str]]:
    """Query parameters of operations that a browser may call too: those of the management
    family."""
    return {
        (path.partition("v1/")[2], method.upper()): frozenset(
            parameter["name"]
            for parameter in operation.get("parameters", ())
            if parameter["in"] == "query"
        )
        | {"project"}
        for path, operations in api.get_openapi_schema(path_prefix="/v1/")["paths"].items()
        for method, operation in operations.items()
        if any(KeyOrMember.__name__ in way for way in operation.get("security", ()))
    }


def _path(route: str) -> str:
    """A route of Django as OpenAPI writes it, after the version."""
    return re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", route.partition("v1/")[2])


def quickly(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """A route of the API beside its framework; what it refuses is answered as everywhere."""

    @csrf_exempt
    @wraps(view)
    def answered(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except Exception as error:  # noqa: BLE001 - raised again where no answer is known
            return api.on_exception(request, error)

    return answered


api.add_decorator(known_queries_only, mode="view")
# Before the addresses of bundles and checks: one that is called so is still read there.
read_by_the_name("backtests", on=backtests_router)
reached_by_the_name("try", on=trying_checks_router)
reached_by_the_name("backtests", on=check_backtests)
api.add_router("", backtests_router)
api.add_router("", trying_checks_router)
api.add_router("", check_backtests)
api.add_router("", reclassifications)
api.add_router("", governance_router)
api.add_router("", outcomes_router)
