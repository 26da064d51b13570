"""The table of what catches each mutant of the full Kafka model, and the model with one of them; `make mutants` writes the table."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mutants.kafka_campaigns import BOUNDS, Campaign
from neverlost.model.core import Model, Profile

TABLE = Path(__file__).parents[2] / "tests" / "spec" / "kafka_mutants.json"


def model_of(versions: Mapping[str, Profile], campaign: Campaign, mutant: int) -> Model:
    """The model of a campaign with a mutant in it; 0 for none."""
    return versions[campaign.version].bounded(**{**BOUNDS, **dict(campaign.settings)}, mutant=mutant)


def table() -> dict[str, Any]:
    """The table as it was written last."""
    return dict(json.loads(TABLE.read_text(encoding="utf-8"))) if TABLE.is_file() else {}
