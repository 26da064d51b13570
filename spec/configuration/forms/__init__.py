"""The forms that configuration is written in: each has a reader of its own, which refuses what it does not understand."""
