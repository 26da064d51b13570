"""Suites: files of test cases from the explored graph, and their run against an implementation."""
