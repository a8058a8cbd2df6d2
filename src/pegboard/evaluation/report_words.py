"""The words of the report that explain it, and its style."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

ABOUT: Final[Mapping[str, str]] = {
    "recall@1": "The share of a question's right tools that is found first.",
    "recall@5": "The share of a question's right tools among the first five.",
    "recall@10": "The share of a question's right tools among the first ten.",
    "ndcg@10": "How good the order of the first ten is: 1 where every right tool comes before every other, those of "
    "higher grades first; a tool at place p counts its grade over log2(p + 1).",
    "mrr": "One over the place of the first right tool, 0 where none is found.",
    "completeness@10": "The share of questions of which every right tool is among the first ten.",
    "no_match_precision": "Of the answers that nothing fits, the share that is right.",
    "no_match_recall": "Of the questions without a right tool, the share that is answered so.",
    "false_no_match": "Of the questions with a right tool, the share that is answered all the same that nothing fits.",
    "latency_median_ms": "Milliseconds that half of the searches take at most, the first excepted.",
    "latency_p95_ms": "Milliseconds that 95 % of the searches take at most.",
    "tokens": "Tokens of an answer of find_tools, in the mean.",
    "differences": "Each further ranker against the first, on the same questions. The interval holds the middle 95 % "
    "of the differences on 2,000 draws of the questions with replacement; where it has 0 inside, chance may have made "
    "the difference.",
    "missed": "Questions of which {ranker} has no right tool among the first ten.",
}
"""What figures and sections say, by name."""

STYLE: Final = """
:root { color-scheme: light dark; --ink: #1c2126; --dim: #57606a; --page: #ffffff; --rule: #d5dae0;
  --s0: #0b62c4; --s1: #b4490a; --s2: #0f7a55; --s3: #7a3fb0; --s4: #8a6d00; --s5: #5c6470 }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e8ec; --dim: #9aa4ae; --page: #14171a; --rule: #363d44;
  --s0: #6db3ff; --s1: #ff9d5c; --s2: #4cd3a0; --s3: #c79bff; --s4: #e0c04d; --s5: #b3bcc8 } }
body { margin: 0; background: var(--page); color: var(--ink); font: 15px/1.5 system-ui, sans-serif }
main { max-width: 60rem; margin: 0 auto; padding: 1.5rem 1rem 4rem }
h1 { font-size: 1.7rem } h2 { font-size: 1.25rem; margin-top: 2.5rem } h3 { font-size: 1rem }
.wide { overflow-x: auto; margin: 1rem 0 }
table { border-collapse: collapse; font-size: .9rem }
th, td { padding: .25rem .75rem .25rem 0; border-bottom: 1px solid var(--rule); vertical-align: top; text-align: left }
.numbers td, .numbers thead th + th { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
tbody th { font-weight: normal; overflow-wrap: anywhere } small { color: var(--dim) }
dt { font-weight: 600 } dd { margin: 0 0 .5rem; color: var(--dim) }
svg { width: 100%; height: auto; max-width: 45rem; display: block; margin: 1rem 0 }
svg text { fill: var(--ink); font: 12px system-ui, sans-serif }
.grid { stroke: var(--rule) } .axis { stroke: var(--dim) } .whisker { stroke: var(--ink); stroke-width: 1.5 }
.curve { fill: none; stroke-width: 2 } .sure { fill: var(--ink) }
.unsure { fill: var(--page); stroke: var(--ink); stroke-width: 1.5 }
.s0 { fill: var(--s0); stroke: var(--s0) } .s1 { fill: var(--s1); stroke: var(--s1) }
.s2 { fill: var(--s2); stroke: var(--s2) } .s3 { fill: var(--s3); stroke: var(--s3) }
.s4 { fill: var(--s4); stroke: var(--s4) } .s5 { fill: var(--s5); stroke: var(--s5) }
.curve.s0, .curve.s1, .curve.s2, .curve.s3, .curve.s4, .curve.s5 { fill: none }
"""
"""The page in light and dark, as the reader has it set."""
