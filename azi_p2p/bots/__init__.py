"""Players without a person: they see what a player sees, and nothing else.

A bot is asked with a `View` (own cards, public facts) and the options of the rules, and names an action. Chance is
fine here, for it decides only what the bot does with its cards, nothing about the deal: the caller hands in a
`random.Random` (seeded from `secrets`, or fixed in a test).
"""

from azi_p2p.bots.bot import LEVELS, Advice, Bot, advise, make_bot

__all__ = ["LEVELS", "Advice", "Bot", "advise", "make_bot"]
