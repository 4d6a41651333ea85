"""The management routes of governance, split by noun."""

from ninja import Router

from governance.api.approvals import router as approvals
from governance.api.contracts import router as contracts
from governance.api.keys import router as keys

router = Router()
router.add_router("", keys)
router.add_router("", approvals)
router.add_router("", contracts)
