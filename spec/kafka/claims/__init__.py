"""The claims ledger: every claim of the articles, and the project's own, as data. The explorer decides them; nobody else does."""

from .clients import CLIENTS
from .durability import DURABILITY
from .form import HOLDS, VIOLATED, Assumption, Case, Claim, Remark
from .headline import C_26
from .profiles import CLAIM_VERSIONS
from .replication import REPLICATION

CLAIMS = tuple(sorted((*DURABILITY, *REPLICATION, *CLIENTS, C_26), key=lambda claim: claim.id))

__all__ = ["CLAIMS", "CLAIM_VERSIONS", "HOLDS", "VIOLATED", "Assumption", "Case", "Claim", "Remark"]
