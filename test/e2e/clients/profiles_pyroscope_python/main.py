"""Works under Pyroscope's profiler, which pushes what is left when it shuts down."""

import os
import time

import pyroscope

pyroscope.configure(
    application_name="shop-api",
    server_address=os.environ["PUSH_URL"],
    http_headers={"Authorization": f"Bearer {os.environ['PUSH_KEY']}"},
    tags={"env": "production", "region": "eu"},
)


def price_of(depth):
    return depth if depth < 2 else price_of(depth - 1) + price_of(depth - 2)


def compute_prices(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        price_of(16)


with pyroscope.tag_wrapper({"route": "/prices"}):
    compute_prices(2)
pyroscope.shutdown()
time.sleep(2)
