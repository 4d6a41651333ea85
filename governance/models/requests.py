"""Requirements of environments, and requests for deployments."""

from datetime import datetime

from django.db import models
from django.db.models import Q
from django.utils import timezone

from governance.core.deployment_requests import RequestStatus, Required, request_status
from governance.models.contracts import Bundle, BundleVersion, Deployment
from governance.models.people import User
from governance.models.projects import Environment

_DECIDED = Q(status__in=["approved", "refused"])


class Requirements(models.Model):
    """Requirements of an environment for deployments. No row means none."""

    environment = models.OneToOneField(Environment, models.CASCADE, related_name="requirements")
    second_person = models.BooleanField(default=False)
    max_newly_denied = models.PositiveIntegerField(null=True)  # None: no backtest required

    class Meta:
        ordering = ["environment"]

    def __str__(self) -> str:
        return f"requirements of {self.environment}"

    def required(self) -> Required:
        return Required(second_person=self.second_person, max_newly_denied=self.max_newly_denied)


class DeploymentRequest(models.Model):
    """Request for a second person's approval to deploy one exact document to an environment."""

    bundle = models.ForeignKey(Bundle, models.CASCADE, related_name="requests")
    version = models.ForeignKey(BundleVersion, models.CASCADE, related_name="requests")
    environment = models.ForeignKey(Environment, models.CASCADE, related_name="requests")
    revision_hash = models.CharField(max_length=64)
    author = models.CharField(max_length=320)
    # Person who made the request, directly or with a key they created; None: the console.
    requester = models.ForeignKey(User, models.PROTECT, related_name="requests", null=True)
    message = models.CharField(max_length=2000, blank=True)
    override = models.CharField(max_length=2000, blank=True)  # reason to override failing tests
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    status = models.CharField(
        max_length=9,
        choices=[(each.value, each.value) for each in RequestStatus],
        default=RequestStatus.PENDING.value,
    )
    decided_by = models.CharField(max_length=320, blank=True)
    ended_at = models.DateTimeField(null=True)
    reason = models.CharField(max_length=2000, blank=True)  # why it was rejected or is void
    deployment = models.OneToOneField(
        Deployment, models.SET_NULL, related_name="request", null=True
    )

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["bundle", "environment"],
                condition=Q(status="pending"),
                name="one_request_waits_per_bundle_and_environment",
            ),
            models.CheckConstraint(
                name="a_request_was_decided_by_somebody_or_by_nobody",
                condition=(_DECIDED & ~Q(decided_by="")) | (~_DECIDED & Q(decided_by="")),
            ),
        ]
        indexes = [
            models.Index(
                fields=["expires_at"], name="request_waiting", condition=Q(status="pending")
            )
        ]

    def __str__(self) -> str:
        return f"{self.version} to {self.environment}"

    @property
    def current_status(self) -> RequestStatus:
        return self.status_as_of(timezone.now())

    def status_as_of(self, now: datetime) -> RequestStatus:
        return request_status(RequestStatus(self.status), self.expires_at, now)
