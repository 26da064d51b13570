"""How long a click in the explorer takes: the whole request, for kafka-4.1 at its default bounds, along random walks.

.venv/bin/python benchmarks/bench_explore.py
"""

from __future__ import annotations

import random
import statistics
import time

from starlette.testclient import TestClient

from neverlost.reports.explore.app import Explorer, app
from neverlost.spec import profiles

HOST, TOKEN = "127.0.0.1:8000", "token"
WALKS, STEPS = 20, 40


def main() -> None:
    model = profiles()["kafka-4.1"].model(
        acks="all", min_isr=2, leader_moves=2, crashes=1, power_losses=1, commit="after", retries=1
    )
    client = TestClient(app(Explorer(model=model, token=TOKEN), (HOST,)), base_url=f"http://{HOST}")
    chosen, times = random.Random(1), []
    for _ in range(WALKS):
        steps: list[str] = []
        for _ in range(STEPS):
            begun = time.perf_counter()
            found = client.post(f"/{TOKEN}/api/walk", json={"steps": steps, "first": len(steps)}).json()
            times.append(1000 * (time.perf_counter() - begun))
            if not found["possible"]:
                break
            steps = [*steps, chosen.choice(found["possible"])["step"]]
    times.sort()
    print(f"{len(times)} clicks along {WALKS} walks of up to {STEPS} steps")
    print(
        f"median {statistics.median(times):.1f} ms, 95% below {times[int(0.95 * len(times))]:.1f} ms, longest {times[-1]:.1f} ms"
    )


if __name__ == "__main__":
    main()
