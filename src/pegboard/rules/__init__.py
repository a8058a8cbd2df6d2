"""Rules as a policy: who may discover or invoke what, written as data."""

from pegboard.rules.policy import RulePolicy
from pegboard.rules.rule import WORDS, Rule, faults

__all__ = ["WORDS", "Rule", "RulePolicy", "faults"]
