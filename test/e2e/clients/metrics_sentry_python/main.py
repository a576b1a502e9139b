"""A shop that counts: see metrics_story.ts for what."""

import os

import sentry_sdk
from sentry_sdk import metrics

sentry_sdk.init(dsn=os.environ["SENTRY_DSN"], release="1.4.2", environment="production")

metrics.count("shop.orders", 3, attributes={"payment": "card"})
metrics.count("shop.orders", 2, attributes={"payment": "cash"})
metrics.gauge("shop.queue.length", 9)
for seconds in [0.02, 0.2, 0.7]:
    metrics.distribution("shop.checkout.duration", seconds, unit="second")
sentry_sdk.flush(5)

metrics.count("shop.orders", 4, attributes={"payment": "card"})
metrics.gauge("shop.queue.length", 4)
for seconds in [1.4, 3.2]:
    metrics.distribution("shop.checkout.duration", seconds, unit="second")
sentry_sdk.flush(5)
