"""Django app configuration, which provides governance with queries over outcomes."""

from django.apps import AppConfig


class OutcomesConfig(AppConfig):
    name = "outcomes"

    def ready(self) -> None:
        from governance.contracts.queries import analysis as checking  # noqa: PLC0415 - the same
        from governance.deployments import requirements  # noqa: PLC0415 - models are there from now on
        from outcomes.backtesting.queries import (  # noqa: PLC0415
            evidence_of,
            newest_evidence,
        )
        from outcomes.calls.queries.contract_words import tools_of  # noqa: PLC0415 - the same

        requirements.evidence_of = evidence_of
        requirements.newest_of = newest_evidence
        checking.tools_of = tools_of
