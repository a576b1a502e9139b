"""A shop's service: see services.ts for what it has to do."""

import os
import signal
import sys
import urllib.request

import sentry_sdk
from flask import Flask
from sqlalchemy import create_engine, text
from werkzeug.serving import make_server

sentry_sdk.init(
    dsn=os.environ["SENTRY_DSN"],
    release="1.4.2",
    environment="production",
    traces_sample_rate=1.0,
    enable_logs=True,
    propagate_traces=True,
)

engine = create_engine("sqlite://")
app = Flask("shop")
back = os.environ.get("BACK_URL")


@app.get("/users/<int:user_id>")
def user(user_id):
    with engine.connect() as connection:
        row = connection.execute(text("select :id as id, 'Ann' as name"), {"id": user_id}).one()
    sentry_sdk.logger.warning("Stock is low", attributes={"item": 4711})
    if back is not None:
        urllib.request.urlopen(f"{back}/users/{user_id}").read()
    return dict(row._mapping)


@app.get("/fail")
def fail():
    raise RuntimeError("Cannot charge order 4711")


def stop(*_):
    sentry_sdk.flush(5)
    sys.exit(0)


signal.signal(signal.SIGTERM, stop)
server = make_server("127.0.0.1", 0, app, threaded=True)
print(f"listening http://127.0.0.1:{server.port}", flush=True)
server.serve_forever()
