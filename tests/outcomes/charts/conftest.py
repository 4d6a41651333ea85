"""Charts use icons from the sprite, whose file name has a hash after collectstatic."""

import pytest
from django.test import override_settings


@pytest.fixture(autouse=True, scope="package")
def _plain_file_names():
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    default = {"BACKEND": "django.core.files.storage.FileSystemStorage"}
    with override_settings(STORAGES={"default": default, "staticfiles": plain}):
        yield
