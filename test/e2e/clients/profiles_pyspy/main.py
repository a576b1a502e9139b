"""Works for py-spy, which looks at it from outside."""

import time


def price_of(depth):
    return depth if depth < 2 else price_of(depth - 1) + price_of(depth - 2)


def compute_prices(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        price_of(16)


compute_prices(2)
