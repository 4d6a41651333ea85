"""Charts draw signs from the sprite, whose name has a hash once the files were collected."""

import pytest
from django.test import override_settings


@pytest.fixture(autouse=True, scope="package")
def _plain_file_names():
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    default = {"BACKEND": "django.core.files.storage.FileSystemStorage"}
    with override_settings(STORAGES={"default": default, "staticfiles": plain}):
        yield
