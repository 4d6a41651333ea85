"""The audit log's one way in, and the proof that nothing in it was changed.

Each entry holds a keyed hash of itself and of the entry before it, so an entry that was altered,
removed or inserted breaks the chain at its number. Signed heads prove what the log was at a moment,
also to a reader who trusts neither the database nor the secret key.
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
