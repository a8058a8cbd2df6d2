from __future__ import annotations

import pytest

from pegboard.errors import RefusedRequestError
from pegboard.net.redirects import FOLLOWED, Outgoing
from pegboard.net.replies import Reply
from pegboard.net.urls import parse

HEADERS = (("Authorization", "Bearer s3cret"), ("Cookie", "a=b"), ("X-Api-Key", "s3cret"), ("Accept", "text/html"))
TYPED = (*HEADERS, ("Content-Type", "application/json"), ("Content-Language", "en"))


def post(**changes: object) -> Outgoing:
    fields = {"method": "POST", "target": parse("https://a.example/x"), "headers": TYPED, "body": b"{}"} | changes
    return Outgoing(**fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("status", "method", "becomes"),
    [
        (301, "POST", "GET"),
        (302, "POST", "GET"),
        (303, "POST", "GET"),
        (303, "PUT", "GET"),
        (303, "DELETE", "GET"),
        (303, "HEAD", "HEAD"),
        (301, "HEAD", "HEAD"),
        (302, "PUT", "PUT"),
        (301, "DELETE", "DELETE"),
        (307, "POST", "POST"),
        (308, "PATCH", "PATCH"),
        (307, "GET", "GET"),
    ],
)
def test_the_method_follows_the_standard(status: int, method: str, becomes: str) -> None:
    following = post(method=method).redirected(status, "/y")
    assert following.method == becomes
    assert following.body == (b"" if becomes != method else b"{}")
    assert ("Content-Type" in dict(following.headers)) is (becomes == method)
    assert following.target == parse("https://a.example/y")


def test_within_the_origin_everything_goes_along() -> None:
    assert post().redirected(307, "/y").headers == TYPED


@pytest.mark.parametrize(
    "location", ["https://b.example/", "https://a.example:8443/", "https://a.example.evil.example/", "//sub.a.example/"]
)
@pytest.mark.parametrize("status", sorted(FOLLOWED))
def test_to_another_origin_nothing_goes_along_that_may_hold_a_secret(status: int, location: str) -> None:
    sent_on = {name for name, _ in post().redirected(status, location).headers}
    assert sent_on <= {"Accept", "Content-Type"}


def test_from_http_to_https_is_another_origin_too() -> None:
    following = post(target=parse("http://a.example/")).redirected(307, "https://a.example/")
    assert dict(following.headers).keys() == {"Accept", "Content-Type"}


def test_what_was_dropped_does_not_come_back_on_the_way_home() -> None:
    home = post().redirected(307, "https://b.example/").redirected(307, "https://a.example/x")
    assert "Authorization" not in dict(home.headers)


def test_a_harmless_header_that_holds_a_secret_stays_behind() -> None:
    request = post(headers=(("User-Agent", "me/s3cret"), ("Accept", "*/*")), secrets=["s3cret", ""])
    assert request.redirected(307, "https://b.example/").headers == (("Accept", "*/*"),)


@pytest.mark.parametrize(
    "spelt", ["s3cret%2Fx", "s3cret\\/x", "\\u0073\\u0033cret/x", "7333637265742f78", "czNjcmV0L3g="]
)
def test_a_secret_that_is_spelt_otherwise_does_not_leave_either(spelt: str) -> None:
    request = post(headers=(("User-Agent", spelt), ("Accept", "*/*")), body=spelt.encode(), secrets=["s3cret/x"])
    assert request.redirected(303, "https://b.example/").headers == (("Accept", "*/*"),)
    with pytest.raises(RefusedRequestError):
        request.redirected(307, "https://b.example/")


def test_no_repr_shows_what_is_sent_or_came_back() -> None:
    request = post(target=parse("https://a.example/?key=s3cret"), secrets=["s3cret"])
    reply = Reply(200, (("x-key", "s3cret"),), b"s3cret", request.target)
    assert "s3cret" not in f"{request!r} {reply!r}"


def test_a_body_that_holds_a_secret_is_not_sent_to_another_origin() -> None:
    request = post(body=b'{"key": "s3cret"}', secrets=["s3cret"])
    with pytest.raises(RefusedRequestError) as caught:
        request.redirected(308, "https://b.example/")
    assert caught.value.rule == "redirect"
    assert "s3cret" not in caught.value.detail
    assert request.redirected(308, "/y").body == request.body
    assert request.redirected(303, "https://b.example/").body == b""
