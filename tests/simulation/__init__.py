"""Whole tables in virtual time, with every kind of trouble: one seed is one story, and always the same one."""
