"""Django app of the site, which connects the recording of sign-ins at startup."""

from django.apps import AppConfig


class EdictumSiteConfig(AppConfig):
    name = "edictum_site"

    def ready(self) -> None:
        from edictum_site.accounts.recording import connect  # noqa: PLC0415  # needs the models

        connect()
