from __future__ import annotations

import gzip
import random
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pegboard.errors import RefusedReplyError
from pegboard.net.decoding import PIECE, Body

PLAIN = random.Random(1).randbytes(9_000) + b"a" * 200_000  # what packs badly, and what packs well


def bare(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


def unpack(codings: str, data: bytes, *, limit: int | None = 10_000_000, step: int = 1_000) -> bytes:
    body = Body(codings, limit)
    pieces = [piece for i in range(0, len(data), step) for piece in body.feed(data[i : i + step])]
    body.finish()
    assert all(len(piece) <= max(PIECE, step) for piece in pieces)
    return b"".join(pieces)


@pytest.mark.parametrize("step", [7, 999, 1_000_000])
@pytest.mark.parametrize(
    ("codings", "packed"),
    [
        ("", PLAIN),
        ("identity", PLAIN),
        ("gzip", gzip.compress(PLAIN)),
        ("X-GZip ", gzip.compress(PLAIN)),
        ("deflate", zlib.compress(PLAIN)),
        ("deflate", bare(PLAIN)),
        ("deflate, gzip", gzip.compress(zlib.compress(PLAIN))),
        ("gzip,gzip,gzip", gzip.compress(gzip.compress(gzip.compress(PLAIN)))),
        ("gzip", gzip.compress(PLAIN[:100_000]) + gzip.compress(PLAIN[100_000:])),
    ],
)
def test_codings_are_undone_however_the_bytes_arrive(codings: str, packed: bytes, step: int) -> None:
    assert unpack(codings, packed, step=step) == PLAIN


@given(st.integers(PIECE * 2 - 600, PIECE * 2 + 600), st.integers(1, 400))
def test_nothing_stays_inside_where_a_piece_is_just_full(size: int, step: int) -> None:
    assert unpack("gzip", gzip.compress(b"a" * size), step=step) == b"a" * size


@pytest.mark.parametrize("codings", ["gzip", "deflate", "gzip, deflate"])
def test_a_reply_without_a_body_is_whole(codings: str) -> None:
    assert unpack(codings, b"") == b""


@pytest.mark.parametrize(
    ("codings", "data"),
    [
        ("gzip", b"nonsense"),
        ("gzip", gzip.compress(PLAIN)[:-1]),
        ("gzip", b"\x1f"),
        ("gzip", gzip.compress(PLAIN) + b"more"),
        ("deflate", zlib.compress(PLAIN)[:-1]),
        ("deflate", zlib.compress(PLAIN) + b"more"),
        ("gzip, gzip", gzip.compress(gzip.compress(PLAIN)[:-1])),
    ],
)
def test_a_broken_body_is_refused(codings: str, data: bytes) -> None:
    with pytest.raises(RefusedReplyError) as caught:
        unpack(codings, data)
    assert caught.value.rule == "coding"


@pytest.mark.parametrize("codings", ["br", "zstd", "gzip, br", "gzip," * 4, "compress"])
def test_codings_that_nobody_asked_for_are_refused(codings: str) -> None:
    with pytest.raises(RefusedReplyError) as caught:
        Body(codings, None)
    assert caught.value.rule == "coding"


BIG = b"\0" * 3_000_000
BOMBS = {
    "plain": ("", BIG),
    "gzip": ("gzip", gzip.compress(BIG)),
    "deflate": ("deflate", zlib.compress(BIG)),
    "bare deflate": ("deflate", bare(BIG)),
    "twice": ("gzip, gzip", gzip.compress(gzip.compress(BIG))),
    "empty members": ("gzip", gzip.compress(b"") * 100_000),
    "empty blocks inside": ("deflate, gzip", gzip.compress(b"\x00\x00\x00\xff\xff" * 300_000)),
}


@pytest.mark.parametrize(("codings", "data"), BOMBS.values(), ids=BOMBS.keys())
def test_a_bomb_is_stopped_while_it_unpacks(codings: str, data: bytes) -> None:
    body = Body(codings, 1_000_000)
    got: list[bytes] = []

    def feed_all() -> None:
        for i in range(0, len(data), 65_536):
            got.extend(body.feed(data[i : i + 65_536]))

    with pytest.raises(RefusedReplyError) as caught:
        feed_all()
    assert caught.value.rule == "size"
    assert len(b"".join(got)) <= 1_000_000


def test_exactly_the_limit_passes() -> None:
    assert len(unpack("gzip", gzip.compress(b"a" * 5_000), limit=5_000)) == 5_000
