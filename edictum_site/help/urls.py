"""URLs of the docs."""

from django.urls import path

from edictum_site.help import views

app_name = "help"
urlpatterns = [
    path("", views.docs, name="docs"),
    path("<path:name>/", views.doc, name="doc"),
]
