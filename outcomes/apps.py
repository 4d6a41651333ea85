"""Django's name for this package."""

from django.apps import AppConfig


class OutcomesConfig(AppConfig):
    name = "outcomes"
