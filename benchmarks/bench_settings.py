"""What it costs that one kernel serves every choice of settings, beside a kernel into which one choice is compiled.

Both search the same model, one after the other, several times; the ratio of their best times is what a specialised kernel would
gain, and the time to compile it is what it would cost, again for every choice.
"""

from __future__ import annotations

import re
import time

from neverlost.explorer.compile.cache import load_kernel
from neverlost.explorer.compile.generate import kernel_source
from neverlost.explorer.engines.compiled import CompiledEngine
from neverlost.explorer.symmetry import symmetry_of
from neverlost.model.core import Packed
from neverlost.spec import profiles

RUNS = 3
CHOICE = {"acks": 2, "min_isr": 2, "crashes": 2, "leader_moves": 1}


def specialised(source: str, settings: Packed) -> str:
    """The kernel with the words of the settings as constants."""
    fixed = "".join(f"    settings_{number} = {word}\n" for number, word in enumerate(settings))
    return re.sub(r"(def (?:expand|evaluate)\([^)]*\):\n)", rf"\1{fixed}", source)


def main() -> None:
    model = profiles()["kafka-2.1"].bounded(**CHOICE)
    properties = [model.profile.property_named("acked_never_lost")]
    symmetry = symmetry_of(model, True, properties)
    source = kernel_source(model, symmetry)
    best: dict[str, float] = {}
    for name, text in (
        ("one kernel for all settings", source),
        ("a kernel for these settings", specialised(source, model.layout.pack_settings())),
    ):
        started = time.perf_counter()
        kernel, _ = load_kernel(text)
        prepared = time.perf_counter() - started
        for _ in range(RUNS):
            engine = CompiledEngine(model, properties, symmetry, 1)
            engine.kernel = kernel
            started = time.perf_counter()
            engine.start([symmetry.representative(w) for w in model.initial_states()])
            level = 0
            while engine.expand(lambda *_: None):
                level += 1
                engine.evaluate(level)
            seconds = time.perf_counter() - started
            best[name] = min(best.get(name, seconds), seconds)
        states = sum(shard.count for shard in engine.shards)
        print(f"{name:30} {best[name]:6.2f} s for {states:,} states; {prepared:5.1f} s to prepare")
    general, special = best.values()
    print(f"general / specialised: {general / special:.2f}")


if __name__ == "__main__":
    main()
