"""Skills: folders with a ``SKILL.md`` that say how a job is done.

``front_matter`` and ``fields`` read what a person wrote, ``discovery`` finds the files, ``opening`` is the only place
that opens one; ``catalog`` holds what was found, ``prompt`` and ``format`` tell it, ``resources`` reads what lies
beside it, ``workspace`` says which of an agent's folders it may be told.
"""
