"""Mutants of the models, of the in-process brokers and of histories: what is wrong in each, and the tables of what catches them."""
