"""Checking what models will read: skills, and the texts of tools, whoever wrote them.

``rules`` is the table of what is looked for, ``finding`` what is found. ``characters``, ``lookalikes``, ``phrases``
and ``encoded`` look at one text each, ``scanning`` puts them together; ``skill_rules``, ``similar`` and ``tool_texts``
know what is a skill's or a tool's. ``skills`` is the only module that opens files; ``sarif`` tells findings to code
scanning.
"""
