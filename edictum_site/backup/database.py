"""Reading and writing all of a database, by the one in use."""

from outcomes.database import IS_SERVER

if IS_SERVER:
    from edictum_site.backup.postgresql import restoring, snapshot
else:
    from edictum_site.backup.sqlite import restoring, snapshot

__all__ = ["restoring", "snapshot"]
