"""Tests of a contract, and their results by version."""

from django.db import models
from django.db.models import Q

from governance.core.case_text import calls_as_text, calls_from
from governance.core.cases import ACTIONS, CaseAction, Decides, Expectation, Stops
from governance.core.cases import Case as CaseSpec
from governance.models.contracts import Bundle, BundleVersion


class Case(models.Model):
    """A call and its expected decision, or a short session and the call where a limit stops it."""

    bundle = models.ForeignKey(Bundle, models.CASCADE, related_name="cases")
    name = models.CharField(max_length=128)
    position = models.PositiveIntegerField()
    calls = models.TextField()  # ASCII JSON; exactly one call unless it is a session
    action = models.CharField(  # empty: a session
        max_length=6, blank=True, choices=[(each, each) for each in ACTIONS]
    )
    stopped_at = models.PositiveIntegerField(null=True)  # None: no call of the session
    rule = models.CharField(max_length=128, blank=True)
    author = models.CharField(max_length=320)
    changed_at = models.DateTimeField()

    class Meta:
        ordering = ["position", "id"]
        constraints = [
            models.UniqueConstraint(fields=["bundle", "name"], name="one_case_per_bundle_and_name"),
            models.CheckConstraint(
                name="only_a_session_is_stopped_at_a_call",
                condition=Q(action="") | Q(stopped_at=None),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.bundle}: {self.name}"

    def spec(self) -> CaseSpec:
        calls = calls_from(self.calls)
        expects: Expectation
        if self.action:
            action: CaseAction = next(each for each in ACTIONS if each == self.action)
            expects = Decides(call=calls[0], action=action, rule=self.rule)
        else:
            expects = Stops(calls=calls, stopped_at=self.stopped_at, rule=self.rule)
        return CaseSpec(self.name, expects)

    def take(self, case: CaseSpec) -> None:
        expects = case.expects
        self.name, self.calls, self.rule = case.name, calls_as_text(case.calls), expects.rule
        self.action = expects.action if isinstance(expects, Decides) else ""
        self.stopped_at = expects.stopped_at if isinstance(expects, Stops) else None


class CaseRun(models.Model):
    """Latest test results of a version, from its save or a deployment."""

    version = models.OneToOneField(BundleVersion, models.CASCADE, related_name="case_run")
    ran_at = models.DateTimeField()
    cases = models.PositiveIntegerField()
    failing = models.PositiveIntegerField()
    results = models.TextField()  # JSON in ASCII: [{"name", "passed", "expected", "got"}]

    class Meta:
        ordering = ["-ran_at"]

    def __str__(self) -> str:
        return f"tests of {self.version}"
