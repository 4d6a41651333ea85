"""Run a contract's tests and store the results with the version."""

import json
from dataclasses import asdict

from django.utils import timezone

from governance.case_runs.queries import Ran, run_of
from governance.models import BundleVersion, CaseRun


def run_and_store(version: BundleVersion) -> Ran:
    """Run the tests against this version and store the results. Call outside a transaction."""
    ran = run_of(version)
    if not ran.results:
        if not ran.why:
            CaseRun.objects.filter(version=version).delete()
        return ran
    CaseRun.objects.update_or_create(
        version=version,
        defaults={
            "ran_at": timezone.now(),
            "cases": len(ran.results),
            "failing": ran.failing,
            "results": json.dumps([asdict(each) for each in ran.results]),
        },
    )
    return ran
