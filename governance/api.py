"""The management routes of governance, split by noun."""

from ninja import Router

from governance.approvals.api import router as approvals
from governance.cases.api import router as cases
from governance.checks.api.bindings import router as check_bindings
from governance.checks.api.checks import router as checks
from governance.checks.api.exports import router as check_exports
from governance.contracts.api.contracts import router as contracts
from governance.contracts.api.drafts import router as drafts
from governance.contracts.api.versions import router as versions
from governance.delivery.api.assignments import router as assignments
from governance.delivery.api.documents import router as documents
from governance.delivery.api.signing import router as signing
from governance.delivery.api.stream import router as stream
from governance.deployments.api import router as deployments
from governance.people.api import router as keys

router = Router()
router.add_router("", keys)
router.add_router("", approvals)
router.add_router("", contracts)
router.add_router("", versions)
router.add_router("", cases)
router.add_router("", drafts)
router.add_router("", deployments)
router.add_router("", assignments)
router.add_router("", documents)
router.add_router("", signing)
router.add_router("", stream)
router.add_router("", check_exports)  # before the names of checks, which have no dot
router.add_router("", checks)
router.add_router("", check_bindings)
