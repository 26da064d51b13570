"""Every action of every version of consumer groups has a row for each of its releases, which names what was read."""

from __future__ import annotations

import pytest

from neverlost.model.core import Profile
from neverlost.spec.kafka.atomicity import ABSENT
from neverlost.spec.kafka.groups.atomicity import LEDGER
from neverlost.spec.kafka.groups.versions import VERSIONS


@pytest.mark.parametrize("version", VERSIONS, ids=lambda version: version.name)
def test_every_action_has_one_row_for_every_release_of_the_version(version: Profile) -> None:
    for release, mode in LEDGER.releases_of(version.name):
        for action in version.actions:
            rows = [row for row in LEDGER.rows if row.action is action and row.when.holds_for(release, mode)]
            assert len(rows) == 1, (action.name, release)


def test_every_row_says_by_what_where_and_at_which_releases_that_was_read() -> None:
    for row in LEDGER.rows:
        assert row.by
        assert all(place.method.isidentifier() and place.file.endswith((".scala", ".java")) for place in row.places)
        assert row.read
        assert all(row.when.holds_for(release, mode) for release in row.read for mode in row.when.modes)


@pytest.mark.parametrize("version", VERSIONS, ids=lambda version: version.name)
def test_a_step_is_absent_exactly_where_the_settings_or_the_release_rule_it_out(version: Profile) -> None:
    absent = {row.action.name for row in LEDGER.rows_of(version.name) if row.by.startswith(ABSENT)}
    lacks_new_protocol = "KIP-848" in "".join(version.lacks.get("protocol", {}).values())
    expected = set() if version.settings.get("reads_while_revoking") else {"join_later"}
    new = {
        *("join_by_heartbeat", "join_in_background", "heartbeat", "reconcile"),
        *("take_unseen", "repeat_commit", "heartbeat_forgotten", "commit_rest"),
    }
    expected |= new if lacks_new_protocol else set()
    expected |= set() if version.settings.get("resets_unfetched") else {"take_unfetched"}
    assert absent == expected
