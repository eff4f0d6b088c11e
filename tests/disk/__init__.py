"""Disks that are full, read-only or damaged, under real peers."""
