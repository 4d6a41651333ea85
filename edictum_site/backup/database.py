"""Snapshot and restore functions for the database engine in use."""

from outcomes.database import IS_SERVER

if IS_SERVER:
    from edictum_site.backup.postgresql import restoring, snapshot
else:
    from edictum_site.backup.sqlite import restoring, snapshot

__all__ = ["restoring", "snapshot"]
