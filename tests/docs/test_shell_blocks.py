"""Every command that the documentation shows is run, and prints what the page says."""

from __future__ import annotations

from pathlib import Path

import pytest
from shell_blocks import (
    PROGRAMS,
    ROOT,
    blocks_of,
    matches,
    normalised,
    only_sets_up,
    prepared,
    problems,
    run_block,
    targets,
)

README = ROOT / "README.md"
PAGES = [README, *sorted((ROOT / "docs").rglob("*.md"))]


FENCE = "```"


def page(*lines: str, language: str = "console") -> str:
    return "\n".join([f"{FENCE}{language}", *lines, FENCE, ""])


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


LONG = (
    "docs/explanation/conformance.md",
    "docs/explanation/pages.md",
    "docs/explanation/proofs.md",
    "docs/explanation/real-brokers.md",
    "docs/explanation/transactions.md",
    "docs/explanation/what-is-proven.md",
    "docs/how-to/audit.md",
    "docs/how-to/conformance.md",
    "docs/how-to/from-your-code.md",
    "docs/how-to/state-graph-notebook.md",
    "docs/questions/a-controllers-directory.md",
    "docs/questions/acks-1-and-planned-elections.md",
    "docs/questions/earliest-or-latest.md",
    "docs/questions/end-the-producer-after-an-unanswered-endtxn.md",
    "docs/questions/is-commitasync-safe.md",
    "docs/questions/is-exactly-once-exact-on-my-release.md",
    "docs/questions/one-controller-or-three.md",
    "docs/questions/records-in-flight-in-a-rebalance.md",
    "docs/questions/records-lost-in-a-rolling-update.md",
    "docs/questions/records-repeated-by-a-rolling-restart.md",
    "docs/questions/records-skipped-in-a-new-partition.md",
    "docs/questions/replacing-a-controller.md",
    "docs/questions/strict-min-isr.md",
)
"""Pages whose commands take longest: with `--thorough` only."""


def executed(page: Path) -> object:
    return pytest.param(page, marks=[pytest.mark.thorough] if name(page) in LONG else [])


@pytest.mark.parametrize("page", [executed(p) for p in PAGES if blocks_of(p.read_text(encoding="utf-8"))], ids=name)
def test_the_commands_of_a_page_print_what_it_shows(page: Path, tmp_path: Path, started: Path) -> None:
    programs = PROGRAMS if page == README else started
    found = problems(page.read_text(encoding="utf-8"), prepared(tmp_path), programs)
    assert not found, "\n\n".join(found)


ALIKE = page(
    "$ neverlost check published/kip-320 --replicas 2 --log-size 1 --records 1 --leader-epochs 2 --quiet",
    "$ echo $?",
    "$ neverlost check kafka-0.8 --acks all --replicas 2 --log-size 1 --values 1 --crashes 1 --json made.json | head -3",
    "$ neverlost check no-such-profile; echo $?",
    "$ (cd examples; neverlost history - < histories/lost.edn; echo $?)",
    "$ neverlost list profiles | true; echo ${PIPESTATUS[0]}",
    "$ COLUMNS=60 neverlost bugs",
)


def test_a_command_that_is_started_so_is_the_installed_one(tmp_path: Path, started: Path) -> None:
    (block,) = blocks_of(ALIKE)
    outcomes = []
    for programs in (PROGRAMS, started):
        (tmp_path / programs.name).mkdir()
        folder = prepared(tmp_path / programs.name)
        outcomes.append([([*map(normalised, o.printed)], o.status) for o in run_block(block, folder, programs)])
        assert (folder / "made.json").is_file()
    assert outcomes[0] == outcomes[1]
    assert len(outcomes[0]) == len(block.commands)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_only_set_up_commands_are_excluded_and_make_knows_them(page: Path) -> None:
    known = targets((ROOT / "Makefile").read_text(encoding="utf-8"))
    excluded = [b for b in blocks_of(page.read_text(encoding="utf-8")) if not b.executed]
    assert [b.line for b in excluded if not only_sets_up(b, known)] == []


def test_the_tutorial_has_commands_to_run() -> None:
    assert blocks_of((ROOT / "docs" / "tutorial" / "01-water-jugs.md").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "text",
    [
        page("$ echo one", "one", "$ echo two; echo three", "two", "three"),
        page("$ echo one \\", "  two", "one two"),
        page("$ printf 'a\\nb\\nc\\nd\\n'", "a", "...", "d"),
        page("$ false", "$ echo $?", "1"),
        page("$ bash -c 'exit 3'", "$ echo $?", "3"),
        page("$ echo oops >&2", "oops"),
        page("$ echo took 3.14 s and 20 MiB", "took 2 s and 1,024.5 KiB"),
        page("touch made", "test -f made", language="sh"),
        page("$ touch made") + page("$ ls made", "made"),
        page("anything", language="text"),
    ],
)
def test_a_page_that_shows_what_happens_has_no_problem(text: str, tmp_path: Path) -> None:
    assert problems(text, prepared(tmp_path)) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (page("$ echo one", "two"), "`echo one` printed\none"),
        (page("$ echo one"), "`echo one` printed\none"),
        (page("$ true", "one"), "`true` printed\n"),
        (page("$ bash -c 'exit 3'"), "ended with status 3"),
        (page("false", "true", language="sh"), "ended with status 1"),
        (page("$ echo a; echo b", "b", "..."), "printed\na\nb"),
    ],
)
def test_a_page_that_shows_otherwise_is_found_out(text: str, said: str, tmp_path: Path) -> None:
    found = problems(text, prepared(tmp_path))
    assert len(found) == 1
    assert said in found[0]


def test_times_memory_speeds_and_digests_may_vary_but_no_other_number() -> None:
    one = "  time          0.08 s (184 states/s), and 4.4 s to prepare the engine"
    other = "  time          1.2 s"
    assert normalised(one) == normalised(other)
    assert normalised("digest 0284c836f635a7b8") == normalised("digest ce6a2951c9e02652")
    assert normalised("14 distinct states at depth 7") != normalised("15 distinct states at depth 7")


def test_an_abridged_output_matches_any_lines_in_its_place() -> None:
    assert matches(("a", "...", "c"), ("a", "c"))
    assert matches(("...",), ())
    assert not matches(("a", "...", "c"), ("a", "b", "d"))


def test_only_make_targets_may_be_excluded() -> None:
    excluded = "<!-- not executed: it sets up the project -->\n"
    (setup,) = blocks_of(excluded + page("make test", language="sh"))
    (check,) = blocks_of(excluded + page("neverlost list", language="sh"))
    assert (setup.executed, check.executed) == (False, False)
    assert only_sets_up(setup, {"test"})
    assert not only_sets_up(setup, {"demo"})
    assert not only_sets_up(check, {"test"})


def test_a_block_that_is_not_closed_is_refused() -> None:
    with pytest.raises(ValueError, match="line 2: the block is not closed"):
        blocks_of(f"text\n{FENCE}sh\nls\n")
