"""bm25s with its English stop words and Snowball stems."""

import bm25s
import snowballstemmer


def index(texts):
    """Lucene's BM25, as it comes."""
    stem = snowballstemmer.stemmer("english").stemWords
    retriever = bm25s.BM25()
    retriever.index(_tokens(list(texts), stem), show_progress=False)

    def find(need, limit):
        tokens = _tokens([need], stem)
        if not tokens.vocab:
            return []
        places, scores = retriever.retrieve(tokens, k=min(limit, len(texts)), show_progress=False)
        return [int(place) for place, score in zip(places[0], scores[0], strict=True) if score > 0]

    return find


def _tokens(texts, stem):
    return bm25s.tokenize(texts, stopwords="en", stemmer=stem, show_progress=False)
