"""Sockets: finding peers, encrypted links to them, the links of one table, and the loop that drives a session."""
