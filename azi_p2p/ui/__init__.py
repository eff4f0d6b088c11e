"""What people see and type: words in three languages, clean names, line mode."""
