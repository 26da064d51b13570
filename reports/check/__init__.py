"""What `neverlost check` and `neverlost resume` show."""
