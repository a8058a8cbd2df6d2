"""How well tools are found: questions with their right answers, measures, comparisons of rankers, and a report."""
