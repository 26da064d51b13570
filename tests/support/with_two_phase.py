"""Once it is imported, neverlost has one family more: what a line in `neverlost.spec.families` would do."""

from __future__ import annotations

import sys

import two_phase_conformance
from two_phase import TwoPhase

from neverlost.spec import families

families.FAMILIES = (*families.FAMILIES, TwoPhase())
sys.modules["neverlost.conformance.two_phase"] = two_phase_conformance
