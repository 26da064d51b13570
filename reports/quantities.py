"""Sizes and times as people read them: `1.5 GiB`, `3 min 20 s`."""

from __future__ import annotations


def show_bytes(count: int) -> str:
    """`1.5 GiB`."""
    value, unit = float(count), "bytes"
    for larger in ("KiB", "MiB", "GiB", "TiB"):
        if value < 1024:
            break
        value, unit = value / 1024, larger
    return f"{value:.0f} {unit}" if value >= 10 or unit == "bytes" else f"{value:.1f} {unit}"


def show_seconds(seconds: float) -> str:
    """`0.03 s`, `12 s`, `3 min 20 s`."""
    if seconds < 1:
        return f"{seconds:.2f} s"
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"
