"""The claims of the articles on replication and its clients, and the project's own, as data. Only the explorer decides them."""

from .clients import CLIENTS
from .durability import DURABILITY
from .headline import C_26
from .profiles import CLAIM_VERSIONS
from .replication import REPLICATION

CLAIMS = (*DURABILITY, *REPLICATION, *CLIENTS, C_26)

__all__ = ["CLAIMS", "CLAIM_VERSIONS"]
