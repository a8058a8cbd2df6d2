"""What a service understands: every style of a parameter taken apart again, written from the standard alone.

A service knows the schemas of its parameters. It splits first and decodes then, as RFC 6570 lets it.
"""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import unquote, unquote_plus

ABSENT: Any = object()


def scalar(text: str, kind: str) -> Any:
    """A text of the type that the schema says."""
    if kind == "string":
        return text
    found = json.loads(text)
    assert isinstance(found, {"integer": int, "number": float, "boolean": bool}[kind])
    return found


def flat(texts: list[str], schema: Any) -> Any:
    """Texts between delimiters as a list, or as an object of names and values in turn."""
    if schema["type"] == "array":
        return [scalar(text, schema["items"]["type"]) for text in texts]
    pairs = zip(texts[::2], texts[1::2], strict=True)
    return {name: scalar(text, schema["additionalProperties"]["type"]) for name, text in pairs}


def exploded(pairs: list[str], schema: Any) -> Any:
    """``name=value`` each, decoded."""
    split = [pair.partition("=") for pair in pairs]
    return {unquote(name): scalar(unquote(text), schema["additionalProperties"]["type"]) for name, _, text in split}


DELIMITERS = {"spaceDelimited": "%20", "pipeDelimited": "%7C", "tabDelimited": "%09"}


def in_path(segment: str, name: str, style: str, explode: bool, schema: Any) -> Any:
    """A path segment as the value that it is."""
    kind = schema["type"]
    compound = kind in ("array", "object")
    if style == "label":
        assert segment.startswith(".")
        inside, between = segment[1:], "." if explode else ","
    elif style == "matrix":
        assert segment.startswith(";")
        if explode and compound:
            parts = segment[1:].split(";")
            if kind == "object":
                return exploded(parts, schema)
            assert all(part.partition("=")[0] == name for part in parts)
            return flat([unquote(part.partition("=")[2]) for part in parts], schema)
        own, _, inside = segment[1:].partition("=")
        assert own == name
        between = ","
    else:
        inside, between = segment, DELIMITERS.get(style, ",")
    if not compound:
        return scalar(unquote(inside), kind)
    parts = inside.split(between)
    return exploded(parts, schema) if explode and kind == "object" else flat([unquote(part) for part in parts], schema)


def in_header(text: str, style: str, explode: bool, schema: Any) -> Any:
    """A header as the value that it is: nothing in it is encoded."""
    if schema["type"] not in ("array", "object"):
        return scalar(text, schema["type"])
    parts = text.split({"spaceDelimited": " ", "pipeDelimited": "|", "tabDelimited": "\t"}.get(style, ","))
    if explode and schema["type"] == "object":
        split = [part.partition("=") for part in parts]
        return {name: scalar(value, schema["additionalProperties"]["type"]) for name, _, value in split}
    return flat(parts, schema)


def in_pairs(pairs: list[str], name: str, style: str, explode: bool, schema: Any, decode: Any = unquote) -> Any:
    """Pairs of a query, a form or cookies as the value that they are; those of other names are let be."""
    kind = schema["type"]
    split = [(decode(key), text) for key, _, text in (pair.partition("=") for pair in pairs)]
    if style == "deepObject":
        return deep([(key, decode(text)) for key, text in split], name, schema)
    if explode and kind == "object":
        found = {key: scalar(decode(text), schema["additionalProperties"]["type"]) for key, text in split}
        return found or ABSENT
    own = [text for key, text in split if key == name]
    if not own:
        return ABSENT
    if kind == "array" and explode:
        return flat([decode(text) for text in own], schema)
    (text,) = own
    if kind not in ("array", "object"):
        return scalar(decode(text), kind)
    delimiter = DELIMITERS.get(style, ",")
    if delimiter == "%20" and decode is unquote_plus:
        delimiter = "+"
    return flat([decode(part) for part in text.split(delimiter)], schema)


def deep(pairs: list[tuple[str, str]], name: str, schema: Any) -> Any:
    """``name[a][b]`` as nested objects, and lists where the schema has them."""
    tree: dict[str, Any] = {}
    for key, text in pairs:
        root, _, rest = key.partition("[")
        if root != name:
            continue
        path = re.findall(r"\[([^\]]*)\]", f"[{rest}")
        assert f"{root}{''.join(f'[{part}]' for part in path)}" == key
        node = tree
        for part in path[:-1]:
            node = node.setdefault(part, {})
        assert path[-1] not in node
        node[path[-1]] = text
    return shaped(tree, schema) if tree else ABSENT


def shaped(node: Any, schema: Any) -> Any:
    """A tree of texts as its schema has it."""
    if schema["type"] == "object":
        inner = schema.get("properties", {})
        return {key: shaped(one, inner.get(key, schema.get("additionalProperties"))) for key, one in node.items()}
    if schema["type"] == "array":
        assert list(node) == [str(place) for place in range(len(node))]
        return [shaped(one, schema["items"]) for one in node.values()]
    return scalar(node, schema["type"])


_DISPOSITION = re.compile(r'Content-Disposition: form-data; name="([^"\r\n]*)"(?:; filename="([^"\r\n]*)")?')


def parts_of(body: bytes, content_type: str) -> list[tuple[str, str, str, bytes]]:
    """The parts of a body as (name, filename, type, data), taken apart as RFC 7578 and browsers have them."""
    kind, _, boundary = content_type.partition("; boundary=")
    assert kind == "multipart/form-data"
    before, *chunks, after = (b"\r\n" + body).split(b"\r\n--" + boundary.encode())
    assert (before, after) == (b"", b"--\r\n")
    found = []
    for chunk in chunks:
        head, _, data = chunk.removeprefix(b"\r\n").partition(b"\r\n\r\n")
        first, *more = head.decode("utf-8").split("\r\n")
        match = _DISPOSITION.fullmatch(first)
        assert match, first
        assert len(more) < 2
        said = more[0].removeprefix("Content-Type: ") if more else ""
        found.append((unescaped(match[1]), unescaped(match[2] or ""), said, data))
    return found


def unescaped(text: str) -> str:
    """A name as it was before a browser wrote it."""
    return text.replace("%22", '"').replace("%0D", "\r").replace("%0A", "\n")
