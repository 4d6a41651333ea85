"""URLs of the first hour, below those of a project."""

from django.urls import path

from edictum_site.first_hour import contract, demo, start

app_name = "first_hour"
urlpatterns = [
    path("start/", start.start, name="start"),
    path("start/key/", start.make_key, name="make_key"),
    path("start/test-outcome/", start.send_test, name="send_test"),
    path("start/hide/", start.hide, name="hide"),
    path("start/deploy/", contract.deploy_first, name="deploy_first"),
    path("start/scan/", start.scan, name="scan"),
    path("live/start/", start.live, name="live"),
    path("demo/", demo.demo, name="demo"),
    path("demo/fill/", demo.fill, name="fill"),
    path("demo/remove/", demo.remove, name="remove"),
    path("live/demo/", demo.demo_state, name="demo_standing"),
]
