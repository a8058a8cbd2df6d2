from __future__ import annotations

import pytest

from pegboard.errors import ConfigError, RefusedRequestError
from pegboard.net.egress import EgressPolicy
from pegboard.net.refusals import REFUSED
from pegboard.net.urls import parse

PUBLIC = "93.184.215.14"


def admit(policy: EgressPolicy, url: str, *answers: str) -> None:
    """Check an address, and these answers to its look-up."""
    target = parse(url)
    policy.admit(target)
    if target.literal is None:
        assert policy.admit_answers(target, answers) == answers


def rule_of(policy: EgressPolicy, url: str, *answers: str) -> str:
    """The rule that refuses them; empty when none does."""
    try:
        admit(policy, url, *answers)
    except RefusedRequestError as error:
        return error.rule
    return ""


def test_by_default_only_https_to_public_addresses_passes() -> None:
    policy = EgressPolicy()
    assert rule_of(policy, "https://example.com/", PUBLIC) == ""
    assert rule_of(policy, "http://example.com/", PUBLIC) == "scheme"
    assert rule_of(policy, "https://example.com/", "10.0.0.1") == "address"
    assert rule_of(policy, "https://10.0.0.1/") == "address"


def test_one_refused_answer_refuses_all() -> None:
    assert rule_of(EgressPolicy(), "https://example.com/", PUBLIC, "2606:4700::1", "::1") == "address"


@pytest.mark.parametrize("answers", [(), ("nonsense",), ("fe80::1%2",), ("2606:4700::1%eth0",), ("127.1",)])
def test_no_answer_or_one_that_is_no_plain_address_refuses(answers: tuple[str, ...]) -> None:
    assert rule_of(EgressPolicy(), "https://example.com/", *answers) == "resolution"


@pytest.mark.parametrize("port", [22, 25, 1023, 2375, 3306, 5432, 6379, 9200, 11211, 27017])
def test_ports_of_other_services_need_to_be_listed(port: int) -> None:
    assert rule_of(EgressPolicy(), f"https://example.com:{port}/", PUBLIC) == "port"
    assert rule_of(EgressPolicy.allowing(ports=[port]), f"https://example.com:{port}/", PUBLIC) == ""


def test_a_list_of_ports_leaves_no_others() -> None:
    assert rule_of(EgressPolicy.allowing(ports=[8443]), "https://example.com/", PUBLIC) == "port"


@pytest.mark.parametrize(
    ("host", "passes"),
    [
        *(("example.com", True), ("EXAMPLE.com.", True), ("a.example.org", True), ("a.b.example.org", True)),
        *(("example.org", False), ("evilexample.org", False), ("a.example.com", False), ("1.1.1.1", True)),
        *(("8.8.8.8", False), ("xn--bcher-kva.example", True), ("[2606:4700::1]", True), ("[2606:4700::2]", False)),
    ],
)
def test_a_host_list_is_exact_but_for_stars(host: str, passes: bool) -> None:
    listed = ["Example.COM", "*.example.org", "1.1.1.1", "bücher.example", "2606:4700:0::1"]
    got = rule_of(EgressPolicy.allowing(hosts=listed), f"https://{host}/", PUBLIC)
    assert got == ("" if passes else "host list")


def test_an_empty_host_list_lets_nothing_through() -> None:
    assert rule_of(EgressPolicy.allowing(hosts=[]), "https://example.com/", PUBLIC) == "host list"


def test_a_private_host_may_resolve_to_its_own_range_only() -> None:
    policy = EgressPolicy.allowing(private_hosts={"crm.corp": ["10.1.2.0/24"], "wiki": ["fd00::/8"]})
    assert rule_of(policy, "https://crm.corp/", "10.1.2.3") == ""
    assert rule_of(policy, "https://crm.corp/", "::ffff:a01:203") == ""
    assert rule_of(policy, "https://wiki/", "fd00::7") == ""
    assert rule_of(policy, "https://crm.corp/", "10.1.3.3") == "address"
    assert rule_of(policy, "https://crm.corp/", "10.1.2.3", "10.9.9.9") == "address"
    assert rule_of(policy, "https://other.example/", "10.1.2.3") == "address"
    assert rule_of(policy, "https://10.1.2.3/") == "address"
    assert rule_of(policy, "https://hr.corp/", PUBLIC) == "name"


def test_an_open_network_does_not_open_names_that_mean_something_inside() -> None:
    policy = EgressPolicy.allowing(networks=["10.1.2.0/24"])
    assert rule_of(policy, "https://10.1.2.3/") == ""
    assert rule_of(policy, "https://any.example/", "10.1.2.3") == ""
    assert rule_of(policy, "https://printer.local/", "10.1.2.3") == "name"
    assert rule_of(policy, "https://[64:ff9b::10.1.2.3]/") == "address"


@pytest.mark.parametrize("address", ["169.254.169.254", "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe"])
def test_cloud_metadata_is_in_no_range_however_wide(address: str) -> None:
    wide = EgressPolicy.allowing(
        networks=["0.0.0.0/0", "::/0"], private_hosts={"meta.corp": ["169.254.0.0/16", "::/0"]}
    )
    assert rule_of(wide, "https://meta.corp/", address) == "address"
    assert rule_of(wide, "https://meta.example/", address) == "address"


def test_cloud_metadata_passes_when_the_very_address_was_named() -> None:
    named = EgressPolicy.allowing(private_hosts={"meta.corp": ["169.254.169.254/32"]})
    assert rule_of(named, "https://meta.corp/", "169.254.169.254") == ""


def test_an_origin_of_the_operators_is_allowed_exactly() -> None:
    policy = EgressPolicy.allowing(hosts=["example.com"], origins=["http://localhost:9200/any/path", "http://[::1]:22"])
    assert rule_of(policy, "http://localhost:9200/x", "127.0.0.1", "::1") == ""
    assert rule_of(policy, "http://[::1]:22/") == ""
    assert rule_of(policy, "https://localhost:9200/", "127.0.0.1") == "port"
    assert rule_of(policy, "http://localhost:9201/", "127.0.0.1") == "scheme"
    assert rule_of(policy, "http://127.0.0.1:9200/") == "scheme"
    assert rule_of(policy, "http://localhost:9200/", "169.254.169.254") == "address"
    assert rule_of(policy.without_origins(), "http://localhost:9200/", "127.0.0.1") == "scheme"


def test_an_origin_that_is_a_metadata_address_was_meant() -> None:
    assert rule_of(EgressPolicy.allowing(origins=["http://169.254.169.254"]), "http://169.254.169.254/x") == ""


@pytest.mark.parametrize(
    "name",
    [
        "localhost",
        "a.localhost",
        "printer.local",
        "x.internal",
        "db",
        "kubernetes.default",
        "a.svc",
        "lvh.me",
        "r.corp",
    ],
)
def test_names_that_mean_something_inside_are_refused_whatever_they_resolve_to(name: str) -> None:
    assert rule_of(EgressPolicy(), f"https://{name}/", PUBLIC) == "name"


@pytest.mark.parametrize("name", ["mylocalhost.com", "internal.example.com", "local.example.com", "svc.example"])
def test_names_that_only_look_like_it_pass(name: str) -> None:
    assert rule_of(EgressPolicy(), f"https://{name}/", PUBLIC) == ""


def test_a_model_cannot_tell_by_the_message_what_is_inside() -> None:
    policy = EgressPolicy.allowing(hosts=["a.example", "localhost", "10.0.0.1"], schemes=["https"])
    asked = [("https://a.example/", "10.0.0.1"), ("https://a.example/", "127.0.0.1"), ("https://a.example/",)]
    asked += [("https://localhost/", "127.0.0.1"), ("https://10.0.0.1/",), ("https://b.example/",)]
    asked += [("http://a.example/",), ("https://a.example:22/",)]
    told = set()
    for url, *answers in asked:
        with pytest.raises(RefusedRequestError) as caught:
            admit(policy, url, *answers)
        told.add(str(caught.value.to_json()))
        assert caught.value.detail
    assert told == {str({"error": {"code": "request_refused", "message": REFUSED}})}


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"schemes": ["ftp"]}, "'ftp' is no scheme"),
        ({"ports": [443, 70_000]}, "no port 70000"),
        ({"networks": ["10.1.2.3/24"]}, "'10.1.2.3/24' is no network"),
        ({"hosts": ["exa mple"]}, "'exa mple' is no host"),
        ({"private_hosts": {"crm": ["inside"]}}, "'inside' is no network"),
        ({"origins": ["localhost:8080"]}, "does not begin with scheme://host"),
        ({"origins": ["http://user:secret@localhost"]}, "has user, password"),
    ],
)
def test_a_policy_that_is_written_wrong_says_what_is(wrong: dict[str, object], says: str) -> None:
    with pytest.raises(ConfigError, match=says) as caught:
        EgressPolicy.allowing(**wrong)  # type: ignore[arg-type]
    assert "secret" not in str(caught.value)


def test_policies_that_say_the_same_are_equal_whatever_the_order() -> None:
    one = EgressPolicy.allowing(hosts=["a.example", "B.example"], origins=["http://localhost:1/x"])
    assert one == EgressPolicy.allowing(hosts=["b.example", "a.example"], origins=["http://LOCALHOST:1"])
    assert hash(one) == hash(EgressPolicy.allowing(hosts=["b.example", "a.example"], origins=["http://localhost:1"]))
