from __future__ import annotations

from pegboard.sources.mcp.pacing import Pacing


def pauses(pacing: Pacing, tries: int, chance: float = 0.0) -> list[float]:
    found = []
    for _ in range(tries):
        pacing.ended(None)
        found.append(pacing.pause(chance))
    return found


def test_pauses_double_from_one_second_to_a_minute() -> None:
    assert pauses(Pacing(), 9) == [1, 2, 4, 8, 16, 32, 60, 60, 60]
    assert pauses(Pacing(), 5_000)[-1] == 60


def test_a_server_that_quits_at_once_is_started_four_times_in_its_first_eight_seconds() -> None:
    for chance in (0.0, 1.0):
        starts, now = [0.0], 0.0
        for pause in pauses(Pacing(), 6, chance):
            now += pause
            starts.append(now)
        assert len([start for start in starts if start <= 8]) <= 4


def test_chance_only_lengthens_a_pause_and_by_a_quarter_at_most() -> None:
    assert pauses(Pacing(), 1, chance=0.999)[0] < 1.25
    assert pauses(Pacing(), 1, chance=0.5)[0] > 1


def test_a_server_that_stayed_ready_for_a_while_begins_again_with_the_shortest_pause() -> None:
    pacing = Pacing()
    pauses(pacing, 6)
    pacing.ended(3600.0)
    assert pacing.pause(0) == 1
    assert pacing.was_ready


def test_a_server_that_dies_soon_after_being_ready_waits_longer_each_time() -> None:
    pacing, found = Pacing(), []
    for _ in range(3):
        pacing.ended(0.1)
        found.append(pacing.pause(0))
    assert found == [1, 2, 4]
    pacing.ended(None)
    assert not pacing.was_ready
