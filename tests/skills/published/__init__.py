"""Tests of skills as other programs get them."""
