"""A program."""


def main():
    """Print a word."""
    print("hello")
    return 0
