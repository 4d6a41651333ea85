"""Models of the governance app, one module per topic."""

from governance.models.approvals import Approval
from governance.models.audit import AuditEntry, AuditHead, AuditRemoval, AuditStream
from governance.models.cases import Case, CaseRun
from governance.models.checks import Check, CheckBindings, CheckVersion
from governance.models.contracts import Bundle, BundleVersion, Deployment
from governance.models.documents import (
    Assignment,
    Fetches,
    Rendering,
    Signature,
    SigningKey,
    Stop,
)
from governance.models.drafts import CheckDraft, Draft
from governance.models.findings import Finding
from governance.models.keys import ApiKey
from governance.models.masking import DetectorTotal, MaskingRules
from governance.models.people import Invitation, Member, User
from governance.models.projects import Environment, Project
from governance.models.requests import DeploymentRequest, Requirements
from governance.models.streams import AnnouncedAssignment

__all__ = [
    "AnnouncedAssignment",
    "ApiKey",
    "Approval",
    "Assignment",
    "AuditEntry",
    "AuditHead",
    "AuditRemoval",
    "AuditStream",
    "Bundle",
    "BundleVersion",
    "Case",
    "CaseRun",
    "Check",
    "CheckBindings",
    "CheckDraft",
    "CheckVersion",
    "Deployment",
    "DeploymentRequest",
    "DetectorTotal",
    "Draft",
    "Environment",
    "Fetches",
    "Finding",
    "Invitation",
    "MaskingRules",
    "Member",
    "Project",
    "Rendering",
    "Requirements",
    "Signature",
    "SigningKey",
    "Stop",
    "User",
]
