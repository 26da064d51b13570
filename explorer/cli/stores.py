"""Where answers are kept between runs, and how asking many questions shows its progress."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import click

from ..answers import Answer, Answers, Question
from ..folders import cache_folder
from ..search import Limits
from .progress import announce_compilation
from .quantities import sensible_memory

STORE_HELP = "Keep answers in this folder, and take from it those that are there; the cache folder if not given."


def store_folder(given: str | None) -> Path | None:
    """Where answers are kept: in the folder that was given, by default beside the kernels. None for a user without a home."""
    if given is not None:
        return Path(given)
    try:
        return cache_folder() / "answers"
    except RuntimeError:
        return None


def open_store(given: str | None) -> Answers:
    """The store in that folder."""
    return Answers(store_folder(given))


def ask_with_progress(
    store: Answers, questions: Sequence[Question], interrupted: Callable[[], bool], workers: int = 2
) -> dict[str, Answer]:
    """Every answer by the key of its question, with a line of progress on standard error."""
    on_terminal = sys.stderr.isatty()
    first = next((question for question in questions if store.known(question) is None), None)
    if first is not None:
        announce_compilation(first.model, [], first.symmetric)
    found: dict[str, Answer] = {}
    limits = Limits(memory_bytes=sensible_memory())
    shown = 0
    answers = store.ask_all(questions, limits=limits, workers=workers, interrupted=interrupted)
    for answered, (question, answer) in enumerate(answers, start=1):
        found[question.key] = answer
        share = answered * 20 // len(questions)
        if on_terminal:
            click.echo(f"\r{answered} of {len(questions)} answered", err=True, nl=False)
        elif share > shown:
            shown = share
            click.echo(f"{answered} of {len(questions)} answered", err=True)
    if on_terminal:
        click.echo("\r" + " " * 40 + "\r", err=True, nl=False)
    return found
