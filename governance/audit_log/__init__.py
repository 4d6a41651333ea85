"""The only way to write the audit log, and the proof that its entries are unchanged.

Each entry has a keyed hash of itself and the previous entry, so altering, removing or inserting one
breaks the chain at its number. Signed heads prove the state of the log at a point in time, even to
a reader who trusts neither the database nor the secret key.
"""

from governance.audit_log.chain import Detail, queue_at, record
from governance.audit_log.heads import SignedHead, heads_in, sign_head, sign_heads, signed_heads
from governance.audit_log.removal import entries_before, remove_entries, remove_log
from governance.audit_log.source import request_source
from governance.audit_log.verification import Break, verify

__all__ = [
    "Break",
    "Detail",
    "SignedHead",
    "entries_before",
    "heads_in",
    "queue_at",
    "record",
    "remove_entries",
    "remove_log",
    "request_source",
    "sign_head",
    "sign_heads",
    "signed_heads",
    "verify",
]
