/** What the payment service runs, as frames of Python. */
import type { Work } from "../traces/work.ts";

const SITE = "/usr/local/lib/python3.13/site-packages";
const LIBRARY = "/usr/local/lib/python3.13";

/** A frame as Sentry's SDK for Python describes it. */
export interface PythonFrame {
  readonly function: string;
  readonly module: string;
  readonly filename: string;
  readonly abs_path: string;
  readonly lineno: number;
  readonly in_app: boolean;
}

/**
 * The stack while some work of the service goes on, the outermost function first.
 *
 * @param share how much of it is done, 0 to 1
 */
export function stackOf({ op }: Work, share: number): PythonFrame[] {
  if (op === "db") return [...VIEW, ...QUERY[share < 0.25 ? "compile" : "wait"]];
  if (op === "http.client") return [...VIEW, ...AUTHORIZE[share < 0.15 ? "connect" : "read"]];
  return share < 0.5 ? [...VIEW, ...CHECK] : [...VIEW, ...RESPOND];
}

const SERVED: readonly PythonFrame[] = [
  site("gunicorn/workers/sync.py", "gunicorn.workers.sync", "SyncWorker.handle_request", 184),
  site("flask/app.py", "flask.app", "Flask.wsgi_app", 1511),
  site("flask/app.py", "flask.app", "Flask.full_dispatch_request", 917),
  site("flask/app.py", "flask.app", "Flask.dispatch_request", 902),
];

const VIEW = [...SERVED, own("payments/views.py", "payments.views", "create_charge", 47)];

const CHECK = [
  own("payments/fraud.py", "payments.fraud", "score", 33),
  own("payments/fraud.py", "payments.fraud", "distance", 58),
];

const RESPOND = [
  own("payments/schemas.py", "payments.schemas", "dump_charge", 21),
  site("marshmallow/schema.py", "marshmallow.schema", "Schema.dump", 552),
];

const EXECUTE = [
  own("payments/store.py", "payments.store", "Store.run", 40),
  site("sqlalchemy/orm/session.py", "sqlalchemy.orm.session", "Session.execute", 2365),
];

const QUERY = {
  compile: [
    ...EXECUTE,
    site("sqlalchemy/sql/compiler.py", "sqlalchemy.sql.compiler", "SQLCompiler.visit_select", 4891),
  ],
  wait: [
    ...EXECUTE,
    site("psycopg/cursor.py", "psycopg.cursor", "Cursor.execute", 97),
    site("psycopg/waiting.py", "psycopg.waiting", "wait_epoll", 301),
  ],
};

const REQUEST = [
  own("payments/network.py", "payments.network", "authorize", 29),
  site("requests/sessions.py", "requests.sessions", "Session.send", 724),
  site("urllib3/connectionpool.py", "urllib3.connectionpool", "HTTPConnectionPool.urlopen", 787),
];

const AUTHORIZE = {
  connect: [...REQUEST, library("ssl.py", "ssl", "SSLSocket.do_handshake", 1319)],
  read: [
    ...REQUEST,
    library("http/client.py", "http.client", "HTTPResponse.begin", 331),
    library("ssl.py", "ssl", "SSLSocket.read", 1140),
  ],
};

function own(path: string, module: string, name: string, line: number): PythonFrame {
  return frame(path, `/srv/${path}`, module, name, line, true);
}

function site(path: string, module: string, name: string, line: number): PythonFrame {
  return frame(path, `${SITE}/${path}`, module, name, line, false);
}

function library(path: string, module: string, name: string, line: number): PythonFrame {
  return frame(path, `${LIBRARY}/${path}`, module, name, line, false);
}

function frame(
  filename: string,
  path: string,
  module: string,
  name: string,
  lineno: number,
  isInApp: boolean,
): PythonFrame {
  return { function: name, module, filename, abs_path: path, lineno, in_app: isInApp };
}
