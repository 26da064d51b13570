"""The ledger of claims: what searches decide about each."""
