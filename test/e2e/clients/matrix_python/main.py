"""Everything at once, through the stock SDK: see client_matrix_test.ts for what has to arrive."""

import os
import time

import sentry_sdk
from sentry_sdk import logger, metrics
from sentry_sdk.crons import capture_checkin

sentry_sdk.init(
    dsn=os.environ["SENTRY_DSN"],
    release="shop@1.4.2",
    environment="production",
    traces_sample_rate=1.0,
    profiles_sample_rate=1.0,
    enable_logs=True,
)

sentry_sdk.set_user({"id": "7", "email": "ann@example.test"})
sentry_sdk.set_tag("plan", "team")
sentry_sdk.add_breadcrumb(category="cart", message="checkout started", level="info")
sentry_sdk.Hub.current.start_session() if hasattr(sentry_sdk, "Hub") else None

with sentry_sdk.start_transaction(op="task", name="checkout"):
    with sentry_sdk.start_span(op="db.query", name="select stock"):
        end = time.monotonic() + 0.3
        while time.monotonic() < end:
            pass
    try:
        try:
            {}["card"]
        except KeyError as cause:
            raise RuntimeError("Cannot charge order 4711") from cause
    except RuntimeError as error:
        with sentry_sdk.new_scope() as scope:
            scope.add_attachment(bytes=b"order 4711", filename="order.txt")
            sentry_sdk.capture_exception(error)
    logger.warning("Stock is low", attributes={"item": 4711})
    metrics.count("orders.failed", 1)

config = {"schedule": {"type": "crontab", "value": "0 3 * * *"}}
check_in = capture_checkin(monitor_slug="nightly-report", status="in_progress", monitor_config=config)
capture_checkin(monitor_slug="nightly-report", check_in_id=check_in, status="ok", duration=2)

sentry_sdk.get_isolation_scope().end_session()
sentry_sdk.flush(10)
