"""Search over the entries that a caller may see: rankers, and what stands around them. Pure; no I/O."""

from pegboard.search.candidates import Candidates
from pegboard.search.exact import exact_first, search
from pegboard.search.lexical import unmatched_terms
from pegboard.search.rankers import (
    RANKERS,
    Bm25Ranker,
    LexicalRanker,
    Ranker,
)
from pegboard.search.ranking import Ranked, Ranking
from pegboard.search.recommend import recommend
from pegboard.search.shares import AskedWord, Explains, Part, Reading, Shares, TermShare
from pegboard.search.unindexed import KeywordRanker, SubstringRanker, keyword_ranker

__all__ = [
    "RANKERS",
    "AskedWord",
    "Bm25Ranker",
    "Candidates",
    "Explains",
    "KeywordRanker",
    "LexicalRanker",
    "Part",
    "Ranked",
    "Ranker",
    "Ranking",
    "Reading",
    "Shares",
    "SubstringRanker",
    "TermShare",
    "exact_first",
    "keyword_ranker",
    "recommend",
    "search",
    "unmatched_terms",
]
