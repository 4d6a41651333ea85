"""Root URLs: pages, the API under both of its prefixes, and error handlers."""

from django.conf import settings
from django.urls import include, path, re_path

from edictum_site.accounts import urls as accounts
from edictum_site.api import api, quickly
from edictum_site.components.views import components
from edictum_site.metrics.views import metrics
from outcomes.session_store.api import session_store

urlpatterns = [
    # First, and without the API framework, as agents wait for it ten times per call.
    re_path(
        r"^(?:api/)?v1/sessions/(?P<key>[\s\S]+)\Z", quickly(session_store), name="session_store"
    ),
    path("metrics", quickly(metrics), name="metrics"),
    path("", include("governance.urls")),
    path("", include("outcomes.urls")),
    path("p/<slug:slug>/", include("edictum_site.first_hour.urls")),
    path("p/<slug:slug>/", include("edictum_site.lookup.urls")),
    path("account/", include(accounts)),
    path("docs/", include("edictum_site.help.urls")),
    path("", include("edictum_site.mcp.urls")),
    # Old and new SDKs use different prefixes for the same routes.
    re_path(r"^(?:api/)?v1/", api.urls),
]
if settings.DEBUG:
    urlpatterns.append(path("components/", components, name="components"))
handler400 = "edictum_site.errors.bad_request"
handler403 = "edictum_site.errors.forbidden"
handler404 = "edictum_site.errors.not_found"
handler429 = "edictum_site.errors.too_many"
handler500 = "edictum_site.errors.failed"
