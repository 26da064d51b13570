"""The page to click through a model, and the server that it asks."""
