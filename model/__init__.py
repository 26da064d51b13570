"""Formal models, in Model Python: `core` is the language, `published` the protocols."""
