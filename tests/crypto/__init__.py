"""Tests of the cryptography."""
