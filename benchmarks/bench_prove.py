"""What proofs cost: queries, translation and time at growing bounds, and what symmetry and the choice of solver change.

Every row is a whole proof in one process. The ratios at the end compare the same consecution queries in the same run.
"""

from __future__ import annotations

import time
from collections.abc import Mapping

from neverlost.explorer.symbolic.induction import Effort, Induction
from neverlost.explorer.symbolic.proof import prove
from neverlost.explorer.symbolic.solving import PORTFOLIO
from neverlost.model.kafka.replication.state import ACKS_ALL
from neverlost.spec import profiles

DURABLE = {"acks": ACKS_ALL, "min_isr": 2, "crashes": 2, "leader_moves": 3, "keeps_known_ends": 0}
PROOFS: tuple[tuple[str, str, Mapping[str, int]], ...] = (
    ("published/kip-320", "strong_isr", {"replicas": 3, "log_size": 2, "records": 2, "leader_epochs": 3}),
    ("published/kip-320", "strong_isr", {"replicas": 3, "log_size": 3, "records": 3, "leader_epochs": 5}),
    ("published/kip-320", "weak_isr", {"replicas": 3, "log_size": 3, "records": 3, "leader_epochs": 5}),
    ("published/kip-320", "strong_isr", {"replicas": 3, "log_size": 4, "records": 4, "leader_epochs": 6}),
    ("published/kip-320", "strong_isr", {"replicas": 4, "log_size": 3, "records": 3, "leader_epochs": 5}),
    ("published/kip-320", "strong_isr", {"replicas": 5, "log_size": 3, "records": 3, "leader_epochs": 5}),
    ("kafka-4.1", "acked_never_lost", {**DURABLE, "replicas": 3, "log_size": 2, "values": 2, "leader_epochs": 4}),
    ("kafka-4.1", "acked_never_lost", {**DURABLE, "replicas": 3, "log_size": 4, "values": 4, "leader_epochs": 5}),
    ("kafka-4.1", "acked_never_lost", {**DURABLE, "replicas": 4, "log_size": 3, "values": 3, "leader_epochs": 5}),
    ("kafka-4.1", "acked_never_lost", {**DURABLE, "replicas": 5, "log_size": 2, "values": 2, "leader_epochs": 5}),
)
COMPARED = {"replicas": 5, "log_size": 2, "records": 2, "leader_epochs": 3}


def row(name: str, prop: str, bounds: Mapping[str, int]) -> str:
    model = profiles()[name].bounded(**bounds)
    proof = prove(model, prop)
    slowest = max(q.seconds for q in proof.queries)
    shown = "/".join(map(str, model.bounds.values()))
    return (
        f"{name:18} {prop:17} {shown:8} {proof.verdict:9} {len(proof.queries):7,} queries {len(proof.unknown)} unknown"
        f" slowest {slowest:5.2f} s, {proof.seconds:6.1f} s"
    )


def translation_seconds(name: str) -> float:
    """Of one core, for the instances of all lemmas and all steps that a proof asks about, at the profile's default bounds."""
    profile = profiles()[name]
    prop = next(p for p in profile.all_properties if p.over_states)
    began = time.process_time()
    induction = Induction(profile.bounded(), prop, profile.lemmas, Effort())
    for step in induction.steps:
        induction.translation.symbolic_step(step)
    return time.process_time() - began


def consecution_seconds(effort: Effort, symmetry: bool) -> float:
    profile = profiles()["published/kip-320"]
    induction = Induction(profile.bounded(**COMPARED), profile.property_named("strong_isr"), profile.lemmas, effort)
    if not symmetry:
        induction.domains, induction.steps = frozenset(), induction.model.steps
    began = time.perf_counter()
    assert induction.proven(list(induction.consecution(induction.lemma_clauses)))
    return time.perf_counter() - began


def main() -> None:
    for name, profile in profiles().items():
        if profile.lemmas and not name.startswith("claims/"):
            print(f"{name:18} {translation_seconds(name):.2f} s to translate")
    for proof in PROOFS:
        print(row(*proof), flush=True)
    general, blasting, *_ = PORTFOLIO
    usual = consecution_seconds(Effort(), symmetry=True)
    bits = consecution_seconds(Effort(portfolio=(blasting,), rounds=(60.0,)), symmetry=True)
    apart = consecution_seconds(Effort(), symmetry=False)
    print(f"{blasting.name} / {general.name}: {bits / usual:.1f}")
    print(f"every step and instance / one of each: {apart / usual:.1f}")


if __name__ == "__main__":
    main()
