from __future__ import annotations

import asyncio
import json
import logging
from base64 import b64encode
from typing import Any
from urllib.parse import quote

import pytest

from pegboard import Context, Pegboard, ToolRegistry
from pegboard.errors import ServiceError
from pegboard.http_tools.evidence import EVIDENCE_KEY
from pegboard.http_tools.response import answer_of, result_of
from pegboard.http_tools.secrets import GivenSecrets
from pegboard.http_tools.tool import HttpCall, HttpRuntime, HttpTool
from pegboard.masking import Scrubber
from pegboard.net.client import HttpClient, HttpLimits
from pegboard.net.egress import EgressPolicy
from pegboard.tools import Approval
from tests.http_tools.things import call, define
from tests.net.loopback import Exchange, serving
from tests.net.scripted import reply

pytestmark = pytest.mark.anyio


@pytest.mark.golden(
    "insika_data_tool_result/err_500_empty",
    "insika_data_tool_result/err_500_nil",
    "insika_data_tool_result/redirect_without_location",
    "insika_data_tool_result/redirect_empty_location",
)
@pytest.mark.parametrize(
    ("status", "headers", "text"),
    [(500, (), "HTTP 500"), (302, (), "HTTP 302"), (302, (("Location", ""),), "HTTP 302"), (404, (), "HTTP 404")],
)
async def test_a_failure_without_a_body_is_told_by_its_status(
    status: int, headers: tuple[tuple[str, str], ...], text: str
) -> None:
    called = await call(define(), answer=reply(status, b"", *headers))
    assert called.result.is_error
    assert called.text == text


@pytest.mark.golden("insika_data_tool_result/err_100")
@pytest.mark.parametrize("status", [100, 199, 300, 599])
def test_every_status_but_a_success_is_a_failure(status: int) -> None:
    with pytest.raises(ServiceError, match=f"^HTTP {status}$"):
        result_of(define(), answer_of(status, b""))


async def test_a_failure_that_says_more_in_json_keeps_it() -> None:
    called = await call(define(), answer=reply(404, b'{"hint":"ask again"}'))
    assert called.text == 'HTTP 404: {"hint":"ask again"}'
    assert called.result.structured["error"]["status"] == 404
    assert called.result.structured["error"]["body"] == {"hint": "ask again"}


@pytest.mark.parametrize(("size", "kept"), [(2_000, True), (2_001, False)])
async def test_a_long_failure_is_cut(size: int, kept: bool) -> None:
    body = b'{"m":"' + b"x" * (size - 8) + b'"}'
    called = await call(define(), answer=reply(400, body))
    assert ("body" in called.result.structured["error"]) is kept
    assert len(called.text) == (size + 10 if kept else 210)


async def test_a_redirect_is_named_and_not_followed() -> None:
    called = await call(define(), answer=reply(302, b"", ("Location", "http://9.9.9.9/new")))
    assert called.text == "HTTP 302: moved to http://9.9.9.9/new"
    assert called.connects == ["8.8.8.8"]


@pytest.mark.golden("insika_data_tool_result/path_nil_body")
@pytest.mark.parametrize(("status", "body"), [(204, b""), (200, b""), (200, b" \n")])
async def test_success_without_a_body_is_success(status: int, body: bytes) -> None:
    called = await call(define(response={"extract": "json_path", "path": "a.b"}), answer=reply(status, body))
    assert not called.result.is_error
    assert called.text == f"HTTP {status}, without a body."


@pytest.mark.parametrize("body", [b"{oops", b"<html>", b"NaN"])
async def test_a_body_that_is_no_json_is_said_to_be_none(body: bytes) -> None:
    called = await call(define(response={"extract": "json_path", "path": "a"}), answer=reply(200, body))
    assert called.text == "The response is not JSON."


def nested(depth: int, inside: str = "1") -> bytes:
    return ('{"a":' * depth + inside + "}" * depth).encode()


DEEP = (
    "The response nests lists and objects more than 100 deep. "
    'The operator can take it as text, with extract = "body_raw".'
)


@pytest.mark.parametrize("secrets", [None, {"K": "s3cr3t-x"}])
@pytest.mark.parametrize("depth", [101, 300, 900, 10_000])
async def test_json_that_nests_too_deep_is_told_as_text_or_refused(depth: int, secrets: Any) -> None:
    sent = {"headers": {"X-Key": "{{secret.K}}"}, "secret_headers": ["x-key"]} if secrets else {}
    body = nested(depth)
    for response in ({"extract": "json_path", "path": "a"}, {"extract": "evidence_envelope"}):
        definition = define(**sent, response=response, evidence="p")
        called = await call(definition, answer=reply(200, body), secrets=secrets)
        assert (called.result.structured["error"]["code"], called.text) == ("service_failed", DEEP)
    halting = define(**sent, halt_when={"json_path": "a", "equals": "1"})
    called = await call(halting, answer=reply(200, body), secrets=secrets)
    assert (called.halt, called.text) == (None, body.decode())
    failed = await call(define(**sent), answer=reply(500, body), secrets=secrets)
    assert failed.text == f"HTTP 500: {body[:200].decode()}"


@pytest.mark.parametrize("path", ["a", "$.a", "$..a"])
async def test_json_may_nest_a_hundred_deep(path: str) -> None:
    called = await call(define(response={"extract": "json_path", "path": path}), answer=reply(200, nested(100)))
    assert not called.result.is_error


@pytest.mark.parametrize(
    ("written", "told"),
    [
        (r'{"k\ud800":"v\udc00\ud83d\ude00\\ud800"}', '{"k\ufffd": "v\ufffd😀\\\\ud800"}'),
        ('{"n":[1e999,-1E+400,1e308,0.1]}', '{"n": ["1e999", "-1E+400", 1e+308, 0.1]}'),
        (f'{{"n":[{"9" * 4_301},{"9" * 4_300}]}}', f'{{"n": ["{"9" * 4_301}", {"9" * 4_300}]}}'),
    ],
)
async def test_what_json_can_write_and_nobody_can_read_is_told_as_near_as_may_be(written: str, told: str) -> None:
    definition = define(response={"extract": "json_path", "path": "$"})
    called = await call(definition, answer=reply(200, written.encode()))
    assert (called.result.is_error, called.text) == (False, told)
    failed = await call(define(), answer=reply(400, written.encode()))
    if len(written) < 2_000:
        assert json.dumps(failed.result.structured["error"]["body"], ensure_ascii=False) == told


async def test_a_charset_that_gives_half_a_character_gives_none_of_it() -> None:
    called = await call(define(), answer=reply(200, b"a+2AA-", ("Content-Type", "text/plain; charset=utf-7")))
    assert called.text == "a\ufffd"


async def test_long_numbers_arrive_whole() -> None:
    definition = define(response={"extract": "json_path", "path": "id"})
    called = await call(definition, answer=reply(200, b'{"id":1285704473650888702}'))
    assert called.text == "1285704473650888702"


@pytest.mark.parametrize(
    ("path", "found"), [("$.items[1].id", 2), ("$.items[*].id", [1, 2]), ("$.none", None), ("$..none", [])]
)
async def test_jsonpath_reaches_into_lists(path: str, found: Any) -> None:
    definition = define(response={"extract": "json_path", "path": path})
    called = await call(definition, answer=reply(200, b'{"items":[{"id":1},{"id":2}]}'))
    assert called.result.is_error is (found is None)
    assert found is None or json.loads(called.text) == found


@pytest.mark.golden("insika_http_client/latin1_body_is_scrubbed_not_transcoded")
@pytest.mark.parametrize(
    ("charset", "body", "text"),
    [
        ("; charset=iso-8859-1", b"a\xe7\xe3o", "ação"),
        ('; charset="utf-8"', "ação".encode(), "ação"),
        ("", b"a\xe7", "a\ufffd"),
        ("; charset=nonsense", "ç".encode(), "ç"),
        ("; charset=rot13", b"abc", "abc"),
        ("; charset=zlib", b"abc", "abc"),
        ("; charset=punycode", b"abc-a", "abc-a"),
        ("; charset=raw_unicode_escape", rb"\ud800", r"\ud800"),
        ("; charset=unicode_escape", rb"\ud800", r"\ud800"),
    ],
)
async def test_a_body_is_read_by_the_charset_that_it_names(charset: str, body: bytes, text: str) -> None:
    called = await call(define(), answer=reply(200, body, ("Content-Type", f"text/plain{charset}")))
    assert called.text == text


@pytest.mark.golden("insika_tool_definition_halt/object_value", "insika_tool_definition_halt/list_value")
@pytest.mark.parametrize(
    ("body", "halts"),
    [
        ({"s": "DONE"}, True),
        ({"s": True}, True),
        ({"s": 2.0}, True),
        ({"s": 1}, False),
        ({"s": {}}, False),
        ({"s": []}, False),
        ({}, False),
    ],
)
async def test_a_reply_ends_the_turn_where_it_says_one_of_the_values(body: Any, halts: bool) -> None:
    when = {"json_path": "s", "equals": ["DONE", True, "2.0", "{}", "[]"], "say": {"text": " bye "}}
    called = await call(define(halt_when=when), answer=reply(200, json.dumps(body).encode()))
    assert (called.halt is not None) is halts
    assert not called.halt or called.halt.say == "bye"


async def test_a_failure_never_ends_the_turn() -> None:
    when = {"json_path": "s", "equals": "DONE"}
    for extract in ("body_raw", "status"):
        definition = define(halt_when=when, response={"extract": extract})
        assert (await call(definition, answer=reply(500, b'{"s":"DONE"}'))).halt is None


@pytest.mark.golden(
    "insika_evidence_process/body_not_json",
    "insika_evidence_process/body_empty",
    "insika_evidence_process/id_not_cut",
    "insika_schema_guard_output/id_list_accepted",
)
@pytest.mark.parametrize(
    ("body", "text"),
    [
        (b"<html>secret</html>", "The response is not JSON."),
        (b"", "The response is not JSON."),
        (b'{"items":[{"id":[1],"line":"x"}]}', "evidence: items[0]: id must be text or a number."),
        (b'{"items":[{"id":"%s","line":"x"}]}' % (b"i" * 301), "evidence: items[0]: id is longer than 300 characters."),
        (b"[]", "evidence: the result must be an object."),
    ],
)
async def test_what_is_no_evidence_is_told_without_repeating_it(body: bytes, text: str) -> None:
    definition = define(response={"extract": "evidence_envelope"}, evidence="p")
    called = await call(definition, answer=reply(200, body))
    assert (called.result.is_error, called.text) == (True, text)


@pytest.mark.golden(
    "insika_evidence_attachments/type_not_checked",
    "insika_evidence_attachments/url_blank_kept",
    "insika_evidence_attachments/single_hash_becomes_pairs",
)
@pytest.mark.parametrize(
    ("attachments", "kept"),
    [
        ([{"url": "u", "type": "card", "price": 9}], ["u"]),
        ([{"url": "u", "type": "video"}, {"url": "v", "type": "image"}], ["v"]),
        ([{"url": "  "}, {"url": ""}, {}, "x"], []),
        ({"url": "u", "type": "card"}, ["u"]),
    ],
)
async def test_attachments_are_kept_from_the_model(attachments: Any, kept: list[str]) -> None:
    body = {"items": [{"id": 7, "line": "Rice", "price": 3}], "attachments": attachments}
    definition = define(response={"extract": "evidence_envelope"}, evidence="products")
    called = await call(definition, answer=reply(200, json.dumps(body).encode()))
    assert called.result.structured == {"items": [{"id": "7", "line": "Rice"}]}
    assert json.loads(called.text) == called.result.structured
    meta = called.result.meta[EVIDENCE_KEY]
    assert (meta["kind"], meta["ids"], [one["url"] for one in meta["attachments"]]) == ("products", ["7"], kept)


SECRET = "s3cr3t/+=&z"
SENT = {"headers": {"X-Key": "Bearer {{secret.K}}"}, "secret_headers": ["x-key"]}


async def test_a_secret_is_sent_in_its_header() -> None:
    called = await call(define(**SENT), secrets={"K": SECRET})
    assert called.request.header("X-Key") == f"Bearer {SECRET}"


FORMS = [
    SECRET,
    quote(SECRET, safe=""),
    b64encode(SECRET.encode()).decode(),
    b64encode(f"user:{SECRET}".encode()).decode(),
    b64encode(f"us:{SECRET}:x".encode()).decode(),
    json.dumps(SECRET).replace("/", "\\/"),
]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("status", [200, 401, 500])
@pytest.mark.parametrize("extract", [{"extract": "body_raw"}, {"extract": "json_path", "path": "m"}])
async def test_a_secret_that_comes_back_is_told_nowhere(
    form: str, status: int, extract: Any, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    body = json.dumps({"m": f"you sent {form}", form: 1}).encode()
    for answer in (reply(status, body), reply(status, f"you sent {form}".encode())):
        called = await call(define(**SENT, response=extract), answer=answer, secrets={"K": SECRET})
        everything = json.dumps([called.result.to_wire(), caplog.text], ensure_ascii=False)
        for hidden in (*FORMS, "s3cr3t"):
            assert hidden not in everything


@pytest.mark.parametrize("secret", ["1234", "true", "null", "data", "status", "error", "message"])
async def test_a_secret_that_looks_like_json_breaks_no_reply(secret: str) -> None:
    body = json.dumps({"data": {"status": "true", "n": [1234, 91234, True, None]}, "error": "data 1234 null"}).encode()
    asked = {"extract": "json_path", "path": "data.n"}
    called = await call(define(**SENT, response=asked), answer=reply(200, body), secrets={"K": secret})
    number = "[secret]" if secret == "1234" else 1234
    assert json.loads(called.text) == [number, 91234, True, None]
    when = {"json_path": "data.status", "equals": "true", "say": {"json_path": "error"}}
    halted = (await call(define(**SENT, halt_when=when), answer=reply(200, body), secrets={"K": secret})).halt
    assert halted
    assert secret not in str(halted.say)
    failed = (await call(define(**SENT), answer=reply(400, body), secrets={"K": secret})).result.structured["error"]
    assert (failed["code"], failed["status"]) == ("service_failed", 400)
    assert secret not in failed["message"]
    assert secret not in {*failed["body"], *failed["body"].get("data", {}), failed["body"].get("error")}


async def test_evidence_is_found_and_told_without_its_secret_whatever_that_is() -> None:
    line = "x" * 195 + " data sent"
    body = {"data": {"items": [{"id": "data-1", "line": line}], "attachments": [{"url": "/?k=data"}]}}
    evidence = {"kind": "p", "items": "data.items", "attachments": "data.attachments"}
    definition = define(**SENT, response={"extract": "evidence_envelope"}, evidence=evidence)
    called = await call(definition, answer=reply(200, json.dumps(body).encode()), secrets={"K": "data"})
    assert called.result.structured == {"items": [{"id": "[secret]-1", "line": ("x" * 195 + " [secret]")[:200]}]}
    assert called.result.meta[EVIDENCE_KEY]["attachments"][0]["url"] == "/?k=[secret]"


async def test_a_secret_that_json_spells_otherwise_is_masked_in_what_is_taken_from_it() -> None:
    spelt = "".join(f"\\u{ord(char):04x}" for char in SECRET)
    definition = define(**SENT, response={"extract": "json_path", "path": "m"})
    called = await call(
        definition, answer=reply(200, f'{{"m":{{"{spelt}":"{spelt}"}}}}'.encode()), secrets={"K": SECRET}
    )
    assert called.result.structured == {"[secret]": "[secret]"}


def test_an_answer_is_without_secrets_before_anything_is_taken_from_it() -> None:
    answer = answer_of(302, SECRET.encode(), location=f"/?k={SECRET}", scrubber=Scrubber([SECRET]))
    assert (answer.text, answer.location) == ("[secret]", "/?k=[secret]")


class Failing:
    """A client that raises what nobody expects, and quotes what it was given."""

    async def request(self, method: str, url: str, **options: Any) -> Any:
        raise RuntimeError(f"cannot send {options['headers']}")


async def test_nothing_raises_out_of_a_tool_and_the_log_has_no_secret(caplog: pytest.LogCaptureFixture) -> None:
    tool = HttpTool(define(**SENT), HttpRuntime(client=Failing(), secrets=GivenSecrets({"K": SECRET})))
    result = await tool.execute({}, Context(tool="t", call_id="c7"))
    assert json.dumps(result.to_wire()["structuredContent"]["error"]["id"]) == '"c7"'
    assert "RuntimeError: cannot send" in caplog.text
    assert "[secret]" in caplog.text
    assert "s3cr3t" not in caplog.text


async def test_who_gives_a_call_up_is_not_answered_by_it() -> None:
    class Slow:
        async def get(self, name: str) -> str | None:
            await asyncio.sleep(60)
            return None

    tool = HttpTool(define(**SENT), HttpRuntime(client=Failing(), secrets=Slow()))
    running = asyncio.ensure_future(tool.execute({}, Context(tool="t", call_id="c7")))
    await asyncio.sleep(0)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running


async def test_a_secret_in_the_address_of_a_redirect_is_masked(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    answer = reply(302, b"", ("Location", f"https://x.test/?k={quote(SECRET, safe='')}"))
    called = await call(define(**SENT), answer=answer, secrets={"K": SECRET})
    assert called.text == "HTTP 302: moved to https://x.test/?k=[secret]"
    assert "s3cr3t" not in caplog.text


async def test_without_its_secret_a_tool_says_so_and_sends_nothing() -> None:
    called = await call(define(**SENT), secrets={"K": "  "})
    assert called.text.startswith("'t' needs the secret 'K', which is not set.")
    assert not called.connects


async def test_a_secret_with_a_line_break_is_refused_and_not_told() -> None:
    called = await call(define(**SENT), secrets={"K": "abcdef\r\nX-Evil: 1"})
    assert called.result.is_error
    assert "abcdef" not in json.dumps(called.result.to_wire())
    assert not called.connects


@pytest.mark.golden("insika_data_tool_result/exc_nil_result")
@pytest.mark.parametrize("secrets", ["raises", "nonsense"])
async def test_what_nobody_expected_is_a_result_and_a_line_in_the_log(
    secrets: str, caplog: pytest.LogCaptureFixture
) -> None:
    class Broken:
        async def get(self, name: str) -> Any:
            if secrets == "raises":
                raise OSError("the vault is away")
            return 5

    runtime = HttpRuntime(client=None, secrets=Broken())  # type: ignore[arg-type]
    registry = ToolRegistry("http")
    registry.register(HttpTool(define(**SENT), runtime).tool)
    result = await (await Pegboard([registry]).open()).call("t", {})
    assert result.to_wire()["isError"] is True
    assert "failed unexpectedly" in json.dumps(result.to_wire())
    assert "'t' failed" in caplog.text


async def test_events_have_name_and_status_and_a_sink_that_fails_stops_nothing() -> None:
    called = await call(define(), answer=reply(404))
    assert called.events == [HttpCall("t", 404)]

    def broken(event: HttpCall) -> None:
        raise RuntimeError("the stream is away")

    assert (await call(define(), events=broken)).text == "OK"


async def test_an_address_inside_is_not_reached_and_the_model_learns_nothing_of_it() -> None:
    texts = {(await call(define(url=f"http://{host}/"))).text for host in ("10.0.0.5", "127.0.0.1", "169.254.169.254")}
    assert texts == {"This address cannot be reached from here."}


@pytest.mark.parametrize(
    ("method", "side_effect", "tier"),
    [("GET", None, "read"), ("POST", None, "write"), ("POST", False, "read"), ("GET", True, "write")],
)
def test_a_side_effect_decides_what_has_to_be_asked(method: str, side_effect: Any, tier: str) -> None:
    tool = HttpTool(define(method=method, side_effect=side_effect), HttpRuntime(client=None)).tool  # type: ignore[arg-type]
    assert tool.approval is Approval(tier)


async def test_a_real_server_is_asked_and_its_limits_hold() -> None:
    async def answer(exchange: Exchange) -> None:
        if exchange.path == "/slow":
            return
        await exchange.reply(b"x" * 2_000 if exchange.path == "/big" else b"fine")

    async with serving(answer) as server, HttpClient() as client:
        runtime = HttpRuntime(
            client=client,
            policy=EgressPolicy.allowing(origins=[server.url()]),
            secrets=GivenSecrets({}),
            limits=HttpLimits(body_bytes=1_000),
        )
        registry = ToolRegistry("http")
        for name in ("ok", "big", "slow"):
            definition = define(name=name, url=server.url(f"/{name}"), timeout=0.2)
            registry.register(HttpTool(definition, runtime).tool)
        board = await Pegboard([registry]).open()
        assert (await board.call("ok", {})).to_wire()["content"] == [{"type": "text", "text": "fine"}]
        big, slow = (await board.call("big", {})).to_wire(), (await board.call("slow", {})).to_wire()
    assert big["structuredContent"]["error"]["code"] == "reply_refused"
    assert slow["structuredContent"]["error"]["code"] == "request_timeout"
