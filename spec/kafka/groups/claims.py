"""Claims about consumer groups and their offsets: C-21, and C-27 to C-30."""

from __future__ import annotations

from neverlost.model.kafka.groups.state import Commit, Protocol, Reset
from neverlost.spec.claims import VIOLATED, Assumption, Case, Claim, Remark, cases

from .differences import FORGETS_COMMITS
from .versions import VERSIONS

NEWEST = VERSIONS[-1]
KEEPS_COMMITS = tuple(
    version.name for version in VERSIONS if not any(version.settings.get(name) for name in FORGETS_COMMITS)
)
"""The versions whose classic groups keep every commit that was acknowledged: without KAFKA-5059, KAFKA-5600 and KAFKA-20634."""

C_21 = Claim(
    id="C-21",
    sentence="With auto-commit off and a commit after processing, consumption is reliable.",
    short="committing after processing makes consumption reliable",
    articles=("004",),
    refuted_by="a record that nobody has processed, below the offset where its group reads on",
    cases=tuple(
        Case(profile=version, chosen={"commit": Commit.SYNC, "reset": Reset.LATEST, **happens}, property="none_skipped")
        for happens in (
            {"crashes": 1, "timeouts": 1},
            {"joins": 1, "coordinator_moves": 1},
            {"failures": 1},
            {"leaves": 2, "expiries": 1},
            {"partition_adds": 1},
        )
        for version in VERSIONS
    ),
    witness="everything_committed",
    remarks=(
        Remark(
            question="Does it exclude that a record is processed twice?",
            case=Case(profile=NEWEST, chosen={"commit": Commit.SYNC, "crashes": 1}, property="none_repeated"),
        ),
        Remark(
            question="Does auto-commit keep records too, if each poll's records are processed before the next?",
            case=Case(
                profile=NEWEST, chosen={"commit": Commit.AUTO, "crashes": 1, "timeouts": 1}, property="none_skipped"
            ),
        ),
        Remark(
            question="Does auto-commit of the new consumer skip records that poll was about to return?",
            case=Case(
                profile=NEWEST,
                chosen={"protocol": Protocol.CONSUMER, "commit": Commit.AUTO, "crashes": 1},
                property="none_skipped",
                speaks_for=VIOLATED,
            ),
        ),
        Remark(
            question="Does auto-commit skip records that other threads were still to process?",
            case=Case(
                profile=NEWEST,
                chosen={"commit": Commit.AUTO_THREADS, "crashes": 1},
                property="none_skipped",
                speaks_for=VIOLATED,
            ),
        ),
    ),
    assumptions=(
        Assumption(words="auto.offset.reset=earliest", chosen={"reset": Reset.EARLIEST}),
        Assumption(words="no partition is added", chosen={"partition_adds": 0}),
        Assumption(words="no committed offset expires", chosen={"expiries": 0}),
    ),
    note="Section 1.9. Reliable is read as at least once: no record is skipped. latest is the default of auto.offset.reset.",
)
C_27 = Claim(
    id="C-27",
    sentence="A committed offset is kept by the coordinator, so whoever takes the partition over continues there.",
    short="a partition's next owner continues at the last committed offset",
    articles=("004",),
    refuted_by="a committed offset that goes back although no log loses a record",
    cases=(
        *cases(VERSIONS, "never_back", commit=Commit.SYNC, coordinator_moves=1, crashes=1),
        *cases(VERSIONS, "never_back", commit=Commit.SYNC, delays=1, crashes=1),
        *cases(VERSIONS, "never_back", commit=Commit.SYNC, commit_failures=1, coordinator_moves=1, crashes=1),
    ),
    witness="everything_committed",
    remarks=(
        Remark(
            question="Does it go back if __consumer_offsets loses its last record, as by an unclean election?",
            case=Case(
                profile=NEWEST,
                chosen={"commit": Commit.SYNC, "rollbacks": 1},
                property="never_back",
                speaks_for=VIOLATED,
            ),
        ),
    ),
    assumptions=(
        Assumption(
            words="no commit is held up or fails, with 0.11.0.1 to 3.9, 4.2.2, or 4.3.1 on (KAFKA-5600, KAFKA-20634)",
            chosen={"delays": 0, "commit_failures": 0},
            only=KEEPS_COMMITS,
        ),
    ),
    note="Section 1.6. Log and cache of the coordinator differ, to 3.9, where a commit was written and answered with an error.",
)
C_28 = Claim(
    id="C-28",
    sentence="A consumer that is so slow that it times out before it commits makes its records be processed again.",
    short="records of a consumer that times out are processed again",
    articles=("004",),
    refuted_by="a version in which no record is processed twice although a member is expelled while it processes",
    cases=cases(VERSIONS, "none_repeated", VIOLATED, commit=Commit.AUTO, timeouts=1),
    note="Section 1.8.",
)
C_29 = Claim(
    id="C-29",
    sentence="Fewer records in each poll, a longer timeout, or a commit by hand prevents that a slow consumer repeats records.",
    short="smaller polls, longer timeouts or commits by hand prevent repeats",
    articles=("004",),
    refuted_by="a record that is processed twice although its consumer commits by hand",
    cases=cases(VERSIONS, "none_repeated", commit=Commit.SYNC, timeouts=1),
    witness="everything_committed",
    assumptions=(
        Assumption(
            words="no member times out, which smaller polls and longer timeouts are for", chosen={"timeouts": 0}
        ),
        Assumption(
            words="the commit comes before the processing, with the classic protocol", chosen={"commit": Commit.BEFORE}
        ),
    ),
    note="Section 1.8. A commit by hand alone does not help: it comes after the processing, and the member may be expelled in between.",
)
C_30 = Claim(
    id="C-30",
    sentence="If a consumer dies after processing and before committing, another one processes the same records again.",
    short="what a dead consumer did not commit is processed by another again",
    articles=("004",),
    refuted_by="a version in which no record is processed twice although a member dies before it commits",
    cases=cases(VERSIONS, "none_repeated", VIOLATED, commit=Commit.AUTO, crashes=1),
    remarks=(
        Remark(
            question="Does a commit after each record exclude it?",
            case=Case(profile=NEWEST, chosen={"commit": Commit.SYNC, "crashes": 1}, property="none_repeated"),
        ),
        Remark(
            question="Does a commit before processing exclude it?",
            case=Case(profile=NEWEST, chosen={"commit": Commit.BEFORE, "crashes": 1}, property="none_repeated"),
        ),
    ),
    note="Section 1.8.",
)
CLAIMS = (C_21, C_27, C_28, C_29, C_30)
