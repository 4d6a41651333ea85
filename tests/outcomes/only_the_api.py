"""Addresses without the short way to the session store."""

from django.urls import path

from edictum_site.api import api

urlpatterns = [path("v1/", api.urls)]
