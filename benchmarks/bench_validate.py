"""How long a log of the in-process brokers takes to be held against the model: `python benchmarks/bench_validate.py 100000`."""

from __future__ import annotations

import sys
import time

from neverlost.conformance.replication.adapter import InProcessAdapter
from neverlost.conformance.validation import LogSearch, bind, log_header, read_event_log, step_line
from neverlost.model.core import Model
from neverlost.spec import profiles

EVENTS = 20_000
BOUNDS = {"replicas": 3, "log_size": 50, "values": 50, "leader_epochs": 20}
RECORDS = 40
START = tuple(f"produce(leader=r1, value={value}, response=delivered)" for value in range(RECORDS))
CYCLE = (
    "fetch(follower=r3, leader=r1, response=lost)",
    "shrink_isr(leader=r1, follower=r2)",
    "grant_isr(leader=r1)",
    "learn_isr(leader=r1)",
    "fetch(follower=r3, leader=r1, response=lost)",
    "fetch(follower=r2, leader=r1, response=lost)",
    "expand_isr(leader=r1, follower=r2)",
    "grant_isr(leader=r1)",
    "learn_isr(leader=r1)",
    "fetch(follower=r2, leader=r1, response=lost)",
)
"""A follower whose responses are lost leaves the ISR and comes back, for ever."""
SEEN = ("log_end", "high_watermark", "isr", "epoch")
LEFT_OUT = ("grant_isr", "learn_isr")


def lines(model: Model, count: int, hidden: tuple[str, ...]) -> list[bytes]:
    """What in-process brokers report, step by step."""
    brokers = InProcessAdapter(model)
    steps = {text: model.parse_step(text) for text in (*START, *CYCLE)}
    said = [log_header(model, hidden).encode()]
    number = 0
    while len(said) <= count:
        step = steps[START[number] if number < len(START) else CYCLE[(number - len(START)) % len(CYCLE)]]
        brokers.perform(step)
        number += 1
        if step.action.name not in hidden:
            seen = brokers.observe()
            said.append(step_line(model, step, {name: seen[name] for name in SEEN}).encode())
    return said


def measure(count: int, hidden: tuple[str, ...]) -> None:
    model = profiles()["kafka-3.5"].bounded_to_follow(acks=2, pipelined=1, **BOUNDS)
    written = lines(model, count, hidden)
    began = time.perf_counter()
    log = read_event_log(written, "log")
    bound = bind(log.entries, model)
    read = time.perf_counter() - began
    outcome = LogSearch(model, bound.events, hidden=hidden, hidden_steps=2).run()
    followed = time.perf_counter() - began - read
    left_out = f", without {' and '.join(hidden)}" if hidden else ""
    print(
        f"{count:,} events{left_out}: {outcome.verdict}; read in {read:.1f} s, followed in {followed:.1f} s,"
        f" {count / (read + followed):,.0f} events/s; {outcome.looked:,} states looked at",
        flush=True,
    )


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else EVENTS
    measure(count, ())
    measure(count // 10, LEFT_OUT)


if __name__ == "__main__":
    main()
