"""Jobs under Sentry's helper for Python, and commands under sentry-cli: one of each that ends well, and one that fails."""

import os
import subprocess
import sys

import sentry_sdk
from sentry_sdk.crons import monitor

sentry_sdk.init(dsn=os.environ["SENTRY_DSN"], environment="nightly")

CONFIG = {
    "schedule": {"type": "interval", "value": 2, "unit": "hour"},
    "checkin_margin": 5,
    "max_runtime": 30,
}


@monitor(monitor_slug="python-good", monitor_config=CONFIG)
def good():
    pass


@monitor(monitor_slug="python-bad", monitor_config=CONFIG)
def bad():
    raise RuntimeError("the backup failed")


good()
try:
    bad()
except RuntimeError:
    pass
sentry_sdk.flush()

cli = os.path.join(os.path.dirname(sys.executable), "sentry-cli")
run = [cli, "monitors", "run", "-e", "nightly", "--schedule", "30 4 * * *", "--timezone", "Europe/Berlin"]
subprocess.run([*run, "cli-good", "--", "true"], check=True)
failed = subprocess.run([*run, "cli-bad", "--", "sh", "-c", "exit 3"])
assert failed.returncode == 3, failed.returncode
