"""URLs of the search and of the list of shortcuts, below those of a project."""

from django.urls import path

from edictum_site.lookup import views

app_name = "lookup"
urlpatterns = [
    path("search/", views.search, name="search"),
    path("live/search/", views.options, name="options"),
    path("keyboard/", views.keyboard, name="keyboard"),
]
