"""Pages to look at: a run as a picture of lanes and time. One file each, offline; text of models is never markup."""
