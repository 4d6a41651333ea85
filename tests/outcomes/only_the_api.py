"""Addresses without the short way to the session store."""

from django.urls import include, path

from edictum_site.api import api

# The pages are there because findings lead to them.
urlpatterns = [
    path("v1/", api.urls),
    path("", include("governance.urls")),
    path("", include("outcomes.urls")),
]
