"""Questions about models, and their answers: searched for, kept in a folder, or shipped."""
