"""The management routes of governance, split by noun."""

from ninja import Router

from governance.api.approvals import router as approvals
from governance.api.assignments import router as assignments
from governance.api.cases import router as cases
from governance.api.check_bindings import router as check_bindings
from governance.api.check_exports import router as check_exports
from governance.api.checks import router as checks
from governance.api.contracts import router as contracts
from governance.api.deployments import router as deployments
from governance.api.documents import router as documents
from governance.api.drafts import router as drafts
from governance.api.keys import router as keys
from governance.api.signing import router as signing
from governance.api.stream import router as stream
from governance.api.versions import router as versions

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
