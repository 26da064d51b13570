"""Suites: test cases that the explored graph gives, in files, and their run against an implementation."""
