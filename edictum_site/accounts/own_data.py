"""Download of all data stored about the signed-in user."""

from django.http import HttpRequest, JsonResponse
from django.http.response import HttpResponseBase
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from edictum_site.accounts.profile import person
from governance.people.auth import signed_in_page
from governance.people.queries.own_data import own_data


@require_safe
@never_cache
@signed_in_page
def download(request: HttpRequest) -> HttpResponseBase:
    response = JsonResponse(own_data(person(request)), json_dumps_params={"indent": 2})
    response.headers["Content-Disposition"] = 'attachment; filename="my-data.json"'
    return response
