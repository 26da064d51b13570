"""What searches found of facts, bugs, claims and golden rows: how it is searched for, read and recorded."""
