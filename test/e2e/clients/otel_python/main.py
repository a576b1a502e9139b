"""A shop's service: see services.ts for what it has to do. `opentelemetry-instrument` watches it from outside."""

import logging
import signal
import sys

from flask import Flask
from sqlalchemy import create_engine, text
from werkzeug.serving import make_server

engine = create_engine("sqlite://")
app = Flask("shop")


@app.get("/users/<int:user_id>")
def user(user_id):
    with engine.connect() as connection:
        row = connection.execute(text("select :id as id, 'Ann' as name"), {"id": user_id}).one()
    logging.getLogger("shop").warning("Stock is low", extra={"item": 4711})
    return dict(row._mapping)


@app.get("/fail")
def fail():
    raise RuntimeError("Cannot charge order 4711")


# An ordinary end, so that the SDK's own handlers send what is left.
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
server = make_server("127.0.0.1", 0, app, threaded=True)
print(f"listening http://127.0.0.1:{server.port}", flush=True)
server.serve_forever()
