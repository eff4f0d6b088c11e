"""The protocol as a state machine without input or output: envelopes, wishes and time go in, effects come out."""
