"""Name of the site for Django; sign-ins are recorded from its start."""

from django.apps import AppConfig


class EdictumSiteConfig(AppConfig):
    name = "edictum_site"

    def ready(self) -> None:
        from edictum_site.accounts.recording import connect  # noqa: PLC0415  # needs the models

        connect()
