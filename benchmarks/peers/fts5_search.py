"""SQLite's FTS5, words joined by OR, with either of its two tokenizers that know more than whole words."""

import sqlite3


def porter(texts):
    """English stems."""
    return _index(texts, "porter unicode61", 1)


def trigram(texts):
    """Any three characters in a row."""
    return _index(texts, "trigram", 3)


def _index(texts, tokenizer, least):
    database = sqlite3.connect(":memory:")
    database.execute(f"CREATE VIRTUAL TABLE tools USING fts5(body, tokenize='{tokenizer}')")
    database.executemany("INSERT INTO tools (rowid, body) VALUES (?, ?)", enumerate(texts))
    asked = "SELECT rowid FROM tools WHERE tools MATCH ? ORDER BY bm25(tools), rowid LIMIT ?"

    def find(need, limit):
        words = ("".join(filter(str.isalnum, word)) for word in need.split())
        query = " OR ".join(f'"{word}"' for word in words if len(word) >= least)
        return [rowid for (rowid,) in database.execute(asked, (query, limit))] if query else []

    return find
