"""`python -m azi_p2p` is the same as the command `azi`."""

from azi_p2p.cli.main import main

if __name__ == "__main__":
    main()
