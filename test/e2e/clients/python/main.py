"""A worker that fails: an error with a cause, a breadcrumb, a user and tags, through the stock SDK."""

import os
import sentry_sdk

sentry_sdk.init(
    dsn=os.environ["SENTRY_DSN"],
    release="worker@2.0.1",
    environment="staging",
)


class ImportFailed(Exception):
    pass


def parse_row(row):
    return int(row["amount"])


def import_rows(rows):
    for row in rows:
        try:
            parse_row(row)
        except ValueError as error:
            raise ImportFailed("row cannot be imported") from error


sentry_sdk.set_user({"id": "8", "username": "bob"})
sentry_sdk.set_tag("queue", "imports")
sentry_sdk.add_breadcrumb(category="file", message="opened rows.csv", level="info")

try:
    import_rows([{"amount": "12"}, {"amount": "twelve"}])
except ImportFailed as error:
    sentry_sdk.capture_exception(error)

sentry_sdk.flush(5)
