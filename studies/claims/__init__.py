"""The ledger of claims: what searches make of each."""
