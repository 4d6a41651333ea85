"""Django's name for this package."""

from django.apps import AppConfig


class GovernanceConfig(AppConfig):
    name = "governance"

    def ready(self) -> None:
        from governance import requirements  # noqa: PLC0415 - models are there from now on
        from governance.queries.cases import failing_cases  # noqa: PLC0415 - the same

        requirements.checks.append(failing_cases)
