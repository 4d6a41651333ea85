"""The shapes that governance keeps, split by noun."""

from governance.models.audit import AuditEntry
from governance.models.contracts import Bundle, BundleVersion, Deployment
from governance.models.keys import ApiKey
from governance.models.people import Invitation, Member, User
from governance.models.projects import Environment, Project

__all__ = [
    "ApiKey",
    "AuditEntry",
    "Bundle",
    "BundleVersion",
    "Deployment",
    "Environment",
    "Invitation",
    "Member",
    "Project",
    "User",
]
