"""Columns of the downloadable tables of contracts, drafts, deployments, versions and rules."""

from typing import Final

from governance.contracts.queries.bundles import ListedBundle
from governance.contracts.queries.naming_rules import LiveRule
from governance.core.tables import Columns
from governance.models import (
    BundleVersion,
    Deployment,
    Draft,
)

CONTRACTS: Final[Columns[ListedBundle]] = {
    "name": lambda row: row.name,
    "version": lambda row: row.newest.number,
    "revision_hash": lambda row: row.newest.revision_hash,
    "live": lambda row: {each.environment.name: each.version.number for each in row.live},
    "message": lambda row: row.newest.message,
    "author": lambda row: row.newest.author,
    "created_at": lambda row: row.newest.created_at,
}
DRAFTS: Final[Columns[Draft]] = {
    "contract": lambda row: row.bundle.name if row.bundle else None,
    "from_version": lambda row: row.base or None,
    "kept_at": lambda row: row.kept_at,
}
LIVE: Final[Columns[Deployment]] = {
    "environment": lambda row: row.environment.name,
    "version": lambda row: row.version.number,
    "created_at": lambda row: row.created_at,
    "author": lambda row: row.author,
    "approved_by": lambda row: row.approved_by or None,
}
VERSIONS: Final[Columns[BundleVersion]] = {
    "version": lambda row: row.number,
    "message": lambda row: row.message,
    "author": lambda row: row.author,
    "revision_hash": lambda row: row.revision_hash,
    "created_at": lambda row: row.created_at,
}
NAMING_RULES: Final[Columns[LiveRule]] = {
    "rule": lambda row: row.rule.id,
    "contract": lambda row: row.contract,
    "version": lambda row: row.version,
    "environments": lambda row: list(row.environments),
    "says": lambda row: row.rule.says,
}
