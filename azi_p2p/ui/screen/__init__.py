"""The full-screen client: events and views in, a frozen model, cells of a given size out; keys in, commands out.

`control` keeps what one person has on the screen, `model` is what is shown, `tablepage` and its neighbours draw it,
`app` alone knows prompt-toolkit. What doesn't belong here: the network, files, and how a table is found.
"""
