"""What may become of files that neverlost keeps: bits turn, files are cut, swapped or replaced, or are no files at all."""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
from collections.abc import Callable, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

Poison = Callable[[Sequence[Path], random.Random], None]
"""Does something to one or two of some files."""

NEAR_THE_START = 400
"""Where the digests and the descriptions of what follows lie: a third of all turned bits."""


def turned_bit(files: Sequence[Path], chance: random.Random) -> None:
    path = chance.choice(files)
    content = bytearray(path.read_bytes())
    reach = min(len(content), NEAR_THE_START) if chance.random() < 1 / 3 else len(content)
    content[chance.randrange(reach)] ^= 1 << chance.randrange(8)
    path.write_bytes(content)


def turned_bits(files: Sequence[Path], chance: random.Random) -> None:
    path = chance.choice(files)
    content = bytearray(path.read_bytes())
    for _ in range(chance.randint(2, 200)):
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    path.write_bytes(content)


def cut(files: Sequence[Path], chance: random.Random) -> None:
    path = chance.choice(files)
    content = path.read_bytes()
    path.write_bytes(content[: chance.randrange(len(content))])


def longer(files: Sequence[Path], chance: random.Random) -> None:
    with chance.choice(files).open("ab") as stream:
        stream.write(chance.randbytes(chance.randint(1, 100)))


def zeros(files: Sequence[Path], chance: random.Random) -> None:
    """As a disk leaves a file that it had room for, and whose content it never wrote."""
    path = chance.choice(files)
    path.write_bytes(bytes(path.stat().st_size))


def swapped(files: Sequence[Path], chance: random.Random) -> None:
    one, other = _two(files, chance)
    content = one.read_bytes()
    one.write_bytes(other.read_bytes())
    other.write_bytes(content)


def copied_over(files: Sequence[Path], chance: random.Random) -> None:
    one, other = _two(files, chance)
    shutil.copyfile(one, other)


def gone(files: Sequence[Path], chance: random.Random) -> None:
    chance.choice(files).unlink()


def folder(files: Sequence[Path], chance: random.Random) -> None:
    path = chance.choice(files)
    path.unlink()
    path.mkdir()


def loop_of_links(files: Sequence[Path], chance: random.Random) -> None:
    path = chance.choice(files)
    path.unlink()
    path.symlink_to(path.name)


def pipe(files: Sequence[Path], chance: random.Random) -> None:
    """Reading it would wait for ever for one who writes."""
    path = chance.choice(files)
    path.unlink()
    os.mkfifo(path)


def _two(files: Sequence[Path], chance: random.Random) -> tuple[Path, Path]:
    """Two files with different contents."""
    one = chance.choice(files)
    return one, chance.choice([path for path in files if path.read_bytes() != one.read_bytes()])


DAMAGE: Sequence[Poison] = (
    turned_bit,
    turned_bits,
    cut,
    longer,
    zeros,
    swapped,
    copied_over,
    gone,
    folder,
    loop_of_links,
    pipe,
)

OTHER_VALUES: Sequence[Any] = (None, [], {}, 0, -1, 1 << 70, 1.5, True, "", "holds", "violated", ["x"], {"x": 1})


def other_structure(value: Any, chance: random.Random) -> Any:
    """The value with one part of it gone, or put where another stood, or replaced by something of another kind."""
    places = list(_places(value))
    if not places or chance.random() < 0.05:
        return chance.choice(OTHER_VALUES)
    holder, key = chance.choice(places)
    match chance.randrange(3):
        case 0:
            del holder[key]
        case 1:
            holder[key] = chance.choice(OTHER_VALUES)
        case 2:
            other, its = chance.choice(places)
            holder[key] = deepcopy(other[its])
    return value


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Every holder of a part, with the key of the part: of lists only the first and the last."""
    keys = list(value) if isinstance(value, dict) else sorted({0, len(value) - 1}) if isinstance(value, list) else []
    here = [(value, key) for key in keys if not isinstance(value, list) or value]
    return [*here, *(place for holder, key in here for place in _places(holder[key]))]


def sealed(content: bytes) -> bytes:
    """Content behind the digest that it would be written with."""
    return hashlib.sha256(content).hexdigest().encode() + b"\n" + content


def unsealed(path: Path) -> bytes:
    """What stands behind the digest in a kept file, whether that fits or not."""
    return path.read_bytes().partition(b"\n")[2]


def unsealed_if_there(path: Path) -> bytes | None:
    """The same, as who looks at no digest would read it."""
    return unsealed(path) if path.is_file() else None


def json_bytes(value: Any) -> bytes:
    return json.dumps(value).encode()
