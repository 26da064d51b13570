"""What every page is made of: one file each, offline; text of models is never markup."""
