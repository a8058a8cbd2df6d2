from __future__ import annotations

from pegboard.sources.mcp.noise import LAST_WORDS, LastWords, Noise, hiding, visible


def test_control_characters_are_made_visible_and_long_text_is_shortened() -> None:
    assert visible("a\x1b[31m\nb\u202ec") == "a\\x1b[31m\\nb\\u202ec"
    assert visible("é 🖥") == "é 🖥"
    assert len(visible("x" * 10_000, 50)) == 50
    assert visible("\ud83d") == "\\ud83d"


def test_noise_is_counted_and_its_first_line_shown_once() -> None:
    noise = Noise()
    assert noise.notes() == ()
    for line in (b"\x1b[1mready\x1b[0m", b"again", b"x" * 1_000):
        noise.heard(line)
    [note] = noise.notes()
    assert "3 lines" in note
    assert "ready" in note
    assert "\x1b" not in note
    assert "again" not in note


def test_values_from_the_spec_are_hidden_in_what_a_server_says() -> None:
    hide = hiding(["s3cret-token", "s3cret-token-2", "no", ""])
    assert hide("token s3cret-token-2 and s3cret-token, no more") == "token *** and ***, no more"
    words = LastWords(hide)
    words.heard(b"login with s3cret-token failed")
    assert str(words) == "login with *** failed"


def test_only_the_last_words_are_kept_without_blank_lines_and_rulers() -> None:
    words = LastWords()
    for number in range(100):
        words.heard(b"line %d \n" % number)
        words.heard(b"   ")
        words.heard("╭──────╮".encode())
    kept = str(words).split(" | ")
    assert kept == [f"line {number}" for number in range(100 - LAST_WORDS, 100)]
