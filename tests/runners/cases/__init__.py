"""Cases: small scenes with a configuration, steps and what has to come of them, run through Pegboard as a whole.

``python -m tests.runners.cases DIR`` runs a folder of them, each in a process of its own.
"""
