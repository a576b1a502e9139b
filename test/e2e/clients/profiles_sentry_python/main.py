"""Works in a transaction under Sentry's profiler: see profiling_sentry_test.ts for what has to arrive."""

import os
import time

import sentry_sdk

OPTIONS = {
    "transaction": {"profiles_sample_rate": 1.0},
    "continuous": {"profile_session_sample_rate": 1.0, "profile_lifecycle": "trace"},
}

sentry_sdk.init(
    dsn=os.environ["SENTRY_DSN"],
    release="shop@1.4.2",
    environment="production",
    traces_sample_rate=1.0,
    **OPTIONS[os.environ["PROFILING"]],
)


def price_of(depth):
    return depth if depth < 2 else price_of(depth - 1) + price_of(depth - 2)


def compute_prices(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        price_of(16)


with sentry_sdk.start_transaction(op="task", name="checkout"):
    with sentry_sdk.start_span(op="function", name="prices"):
        compute_prices(0.6)

time.sleep(0.2)
sentry_sdk.get_client().close(timeout=10)
