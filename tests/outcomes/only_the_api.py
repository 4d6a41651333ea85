"""URLs of the API without the fast path of the session store."""

from django.urls import include, path

from edictum_site.api import api

# The pages are included because alerts link to them.
urlpatterns = [
    path("v1/", api.urls),
    path("", include("governance.urls")),
    path("", include("outcomes.urls")),
]
