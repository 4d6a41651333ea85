"""Django's name for this package."""

from django.apps import AppConfig


class GovernanceConfig(AppConfig):
    name = "governance"
