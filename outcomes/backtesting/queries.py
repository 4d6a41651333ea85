"""Backtest queries for pages, deployments and the API."""

from collections.abc import Collection

from django.db.models import Q, QuerySet

from governance.deployments.requirements import Evidence, Project
from outcomes.models import Backtest, Call
from outcomes.models.backtests import CallsUnder
from outcomes.record.codec import as_text, digest_of
from outcomes.stored.queries import StoredCall, read_calls, with_names

SHOWN = 50


def backtest_numbered(project_id: int, number: int) -> Backtest | None:
    backtests = Backtest.objects.filter(project=project_id, pk=number).defer("document")
    return backtests.select_related("environment", "version").first()


def backtested_text(backtest: Backtest) -> str:
    """Text of the backtested contract, which list queries don't load."""
    documents = Backtest.objects.filter(pk=backtest.pk).values_list("document", flat=True)
    return bytes(documents.get()).decode()


def backtests_of(project_id: int, bundle: str, before: int | None = None) -> list[Backtest]:
    """Backtests of a contract, newest first, without documents; one more than a page shows."""
    backtests = _listed().filter(project=project_id, bundle_name=bundle)
    return list((backtests.filter(pk__lt=before) if before else backtests)[: SHOWN + 1])


def number_of_backtests(project_id: int, bundle: str) -> int:
    return Backtest.objects.filter(project=project_id, bundle_name=bundle).count()


def newest_backtest_of(project_id: int, *revision_hashes: str) -> Backtest | None:
    """Newest backtest of exactly these bytes, whatever its status."""
    backtests = Backtest.objects.filter(project=project_id, revision_hash__in=revision_hashes)
    return backtests.defer("document").select_related("environment", "version").first()


def newest_backtest_of_bundle(project_id: int, bundle: str) -> Backtest | None:
    backtests = Backtest.objects.filter(project=project_id, bundle_name=as_text(bundle))
    return backtests.defer("document").select_related("environment", "version").first()


def newest_result_of(project_id: int, environment: str, revision_hash: str) -> Backtest | None:
    """Newest finished backtest of exactly these bytes over this environment and all its agents."""
    backtests = Backtest.objects.filter(
        Q(environment__name=environment) | Q(environment=None),
        project=project_id,
        revision_hash=revision_hash,
        status=Backtest.Status.DONE,
        agents=[],
        tools=[],
    )
    return backtests.defer("document", "result").select_related("environment").first()


def newest_of(project_id: int, revision_hash: str) -> Backtest | None:
    """Newest finished backtest of exactly these bytes over any calls."""
    backtests = Backtest.objects.filter(
        project=project_id, revision_hash=revision_hash, status=Backtest.Status.DONE
    )
    return backtests.defer("document", "result").select_related("environment").first()


def scope_words(backtest: Backtest) -> str:
    """Phrase such as `calls in production under billing, agents …, tools …`."""
    contract = backtest.bundle_name
    under = {
        CallsUnder.CONTRACT: f"under `{contract}`",
        CallsUnder.ALL: "under any contract or none",
        CallsUnder.ALL_INSTEAD: f"under any contract or none (none ran under `{contract}`)",
    }[CallsUnder(backtest.calls_under)]
    environment = backtest.environment.name if backtest.environment else "all environments"
    parts = [f"calls in {environment} {under}"]
    if backtest.agents:
        parts.append("agents " + ", ".join(f"`{name}`" for name in backtest.agents))
    if backtest.tools:
        parts.append("tools " + ", ".join(f"`{name}`" for name in backtest.tools))
    return ", ".join(parts)


def sampled_calls(
    project_id: int, named: Collection[tuple[str, str]]
) -> dict[tuple[str, str], StoredCall]:
    """Calls of these environments and ids that are still stored."""
    if not named:
        return {}
    rows = with_names(Call.objects.all()).filter(
        environment__project=project_id,
        environment__name__in={environment for environment, _ in named},
        digest__in=[digest_of(call_id) for _, call_id in named],
    )
    return {(call.row.environment.name, call.row.call_id): call for call in read_calls(list(rows))}


def evidence_of(project: Project, environment: str, revision_hash: str) -> Evidence | None:
    """Evidence for deployments to an environment that requires a backtest."""
    return _evidence(newest_result_of(project.pk, environment, revision_hash))


def newest_evidence(project: Project, environment: str, revision_hash: str) -> Evidence | None:
    """Newest evidence for a deployment, even if filtered or from another environment."""
    return _evidence(newest_of(project.pk, revision_hash))


def _evidence(backtest: Backtest | None) -> Evidence | None:
    if backtest is None or backtest.finished_at is None:
        return None
    return Evidence(
        number=backtest.pk,
        finished_at=backtest.finished_at,
        calls=backtest.calls,
        newly_denied=backtest.newly_denied,
        newly_allowed=backtest.newly_allowed,
        newly_asking=backtest.newly_asking,
        changed=backtest.changed,
        undetermined=backtest.undetermined,
        unchanged=backtest.unchanged,
        over=scope_words(backtest),
    )


def _listed() -> QuerySet[Backtest]:
    return (
        Backtest.objects.order_by("-id")
        .defer("document", "result")
        .select_related("environment", "version")
    )
