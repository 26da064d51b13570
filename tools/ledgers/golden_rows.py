"""The rows of spec/golden.json: how they are read, and what they are made from, the figures of TLC."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from neverlost.model.core import Profile
from neverlost.spec.published.profiles import PROFILES

TABLE = Path(__file__).parents[2] / "spec" / "golden.json"
BY_NAME = {profile.name: profile for profile in PROFILES}

PROFILE_OF_MODULE = {
    "KafkaTruncateToHighWatermark": "published/truncate-to-high-watermark",
    "Kip101": "published/kip-101",
    "Kip279": "published/kip-279",
    "Kip320FirstTry": "published/kip-320-first-try",
    "Kip320": "published/kip-320",
    "AsyncIsr": "published/async-isr",
    "FiniteReplicatedLog": "published/replicated-log",
    "IdSequence": "published/id-sequence",
}
PROPERTY_OF_INVARIANT = {
    "TypeOk": "type_ok",
    "TypeOkFixed": "type_ok",
    "WeakIsr": "weak_isr",
    "StrongIsr": "strong_isr",
    "LeaderInIsr": "leader_in_isr_as_published",
    "ValidHighWatermark": "valid_high_watermark",
}
SYMMETRY = {False: [], True: ["replica"], "Sym": ["replica"], "Sym2": ["replica", "value"]}

TLC_ACTION = {"BecomeFollowerAndTruncateTo": "BecomeFollowerTruncateToHighWatermark"}
"""TLC names the operator in which it found the successor, here a shared one."""

# TLC counts a successor of these once for each of two disjuncts that are true.
COUNTED_TWICE_BY_TLC = {"become_follower_truncate_kip_279", "fenced_leader_shrink_isr"}


def bounds_of(module: str, constants: dict[str, int]) -> dict[str, int]:
    """Our bounds for TLC's constants; ours are counts where the published ones are the largest value."""
    if module == "IdSequence":
        return {"ids": constants["MaxId"] + 1}
    replicas = {"replicas": constants["Replicas"]}
    if module == "AsyncIsr":
        return replicas | {"log_size": constants["MaxOffset"], "versions": constants["MaxVersion"] + 1}
    if module == "FiniteReplicatedLog":
        return replicas | {"log_size": constants["LogSize"], "records": constants["LogRecords"]}
    return replicas | {
        "log_size": constants["LogSize"],
        "records": constants["MaxRecords"],
        "leader_epochs": constants["MaxLeaderEpoch"] + 1,
    }


def property_of(module: str, invariant: str) -> str:
    """The name that a property of a TLA+ module has here."""
    if (module, invariant) == ("AsyncIsr", "TypeOk"):
        return "type_ok_as_published"
    return PROPERTY_OF_INVARIANT[invariant]


def rows_of_oracle(folder: Path) -> list[dict[str, Any]]:
    """The rows that TLC computed, as the table holds them; what only our engines know is None or missing."""
    rows = []
    for module, name in PROFILE_OF_MODULE.items():
        for run in json.loads((folder / f"{module}.json").read_text(encoding="utf-8")):
            findings = {}
            for invariant, answer in run["invariants"].items():
                findings[property_of(module, invariant)] = {
                    "verdict": "holds" if answer["holds"] else "violated",
                    "violating_states": answer.get("violating_distinct_states", 0 if answer["holds"] else None),
                    "trace_length": answer.get("trace_len"),
                    "tlc": True,
                }
            rows.append(
                {
                    "profile": name,
                    "bounds": bounds_of(module, run["constants"]),
                    "symmetry": SYMMETRY[run["symmetry"]],
                    "distinct": run["distinct"],
                    "generated": None,
                    "depth": run["depth"],
                    "levels": run.get("levels"),
                    "digest": None,
                    "findings": findings,
                    "confirmed_by": ["tlc"],
                    "tlc_generated": run["generated"],
                    "tlc_actions": _actions(BY_NAME[name], run.get("actions", {})),
                }
            )
    return rows


def _actions(profile: Profile, counts: dict[str, dict[str, int]]) -> dict[str, int]:
    published = {action.source.split(", ")[-1]: action.name for action in profile.actions}
    return {
        published[TLC_ACTION.get(name, name)]: count["generated"] for name, count in counts.items() if name != "Init"
    }


def key(row: dict[str, Any]) -> str:
    """What a row is about, as text."""
    return json.dumps([row["profile"], row["bounds"], row["symmetry"]], sort_keys=True)


def read_table() -> list[dict[str, Any]]:
    """The rows as they lie in the file."""
    rows: list[dict[str, Any]] = json.loads(TABLE.read_text(encoding="utf-8")) if TABLE.exists() else []
    return rows
