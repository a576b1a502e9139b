"""Twenty errors one after the other, whatever the server answers."""

import os
import time

import sentry_sdk

sentry_sdk.init(dsn=os.environ["SENTRY_DSN"])
for index in range(20):
    sentry_sdk.capture_exception(RuntimeError(f"Failure {index}"))
    time.sleep(0.03)
sentry_sdk.flush(3)
