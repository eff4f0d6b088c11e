"""A recorded game, judged from first principles by the same session code in the role of an onlooker."""
