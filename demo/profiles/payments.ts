/** Profiles of the payment service as Sentry's SDK for Python sends them: one for each transaction, beside it. */
import type { Envelope, Item } from "../send.ts";
import type { Trace } from "../traces/history.ts";
import type { Placed, Segment, Work } from "../traces/scene.ts";
import type { SentryPart } from "../traces/sentry.ts";

const RATE = 101;
const MAX_SECONDS = 12;
const SHARE = 0.7;
const THREAD = "139872300115648";

/** What the service sends of its part in a trace, with a profile unless it is one of those that are not sampled. */
export function withProfile(part: SentryPart, trace: Trace, segment: Segment): SentryPart {
  const { entry, root } = segment;
  const isProfiled = entry.service === "payments" && root.end - root.start < MAX_SECONDS &&
    trace.scene.random.chance(SHARE);
  return isProfiled ? { ...part, transaction: profiled(part.transaction, trace, segment) } : part;
}

function profiled(envelope: Envelope, trace: Trace, segment: Segment): Envelope {
  const profileId = crypto.randomUUID().replaceAll("-", "");
  const items = envelope.items.flatMap((item) =>
    item.header.type === "transaction"
      ? [profileItem(profileId, item, trace, segment), tied(item, profileId)]
      : [item]
  );
  return { ...envelope, items };
}

/** The transaction names its profile and the thread that it ran in. */
function tied(item: Item, profileId: string): Item {
  const payload = item.payload as Readonly<Record<string, unknown>>;
  const contexts = payload.contexts as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  const data = contexts.trace?.data as Readonly<Record<string, unknown>> | undefined;
  const trace = {
    ...contexts.trace,
    data: { ...data, "thread.id": THREAD, "thread.name": "MainThread" },
  };
  const profile = { profile_id: profileId };
  return { ...item, payload: { ...payload, contexts: { ...contexts, trace, profile } } };
}

function profileItem(
  profileId: string,
  { payload }: Item,
  { traceId, scene }: Trace,
  { root, spans, entry }: Segment,
): Item {
  const transaction = payload as Readonly<Record<string, unknown>>;
  return {
    header: { type: "profile", content_type: "application/json" },
    payload: {
      event_id: profileId,
      version: "1",
      platform: "python",
      timestamp: new Date(root.start * 1000).toISOString(),
      release: transaction.release,
      environment: scene.environment,
      server_name: entry.server,
      tags: { service: entry.service },
      device: { architecture: "x86_64" },
      os: { name: "Linux", version: "6.12.0" },
      runtime: { name: "CPython", version: "3.13.2" },
      transaction: {
        id: transaction.event_id,
        name: root.work.name,
        trace_id: traceId,
        active_thread_id: THREAD,
      },
      profile: samplesOf(root, spans),
    },
  };
}

/** A look every hundredth of a second, at what runs while spans wait or work. */
function samplesOf(root: Placed, spans: readonly Placed[]) {
  const frames = new Numbered<PythonFrame>();
  const stacks = new Numbered<readonly number[]>();
  const samples: Record<string, unknown>[] = [];
  const count = Math.max(2, Math.ceil((root.end - root.start) * RATE));
  for (let index = 0; index < count; index++) {
    const time = root.start + index / RATE;
    const running = spans.filter(({ start, end }) => start <= time && time < end).at(-1) ?? root;
    const share = (time - running.start) / (running.end - running.start || 1);
    const stack = stackOf(running.work, share).map((frame) => frames.numberOf(frame));
    samples.push({
      // Python sends both numbers as texts.
      elapsed_since_start_ns: String(Math.round(index / RATE * 1e9)),
      thread_id: THREAD,
      stack_id: stacks.numberOf(stack.reverse()),
    });
  }
  return {
    frames: frames.all,
    stacks: stacks.all,
    samples,
    thread_metadata: { [THREAD]: { name: "MainThread" } },
  };
}

/** Numbers things from 0, equal ones alike. */
class Numbered<T> {
  readonly all: T[] = [];
  readonly #numbers = new Map<string, number>();

  numberOf(thing: T): number {
    const key = JSON.stringify(thing);
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    this.#numbers.set(key, this.all.length);
    return this.all.push(thing) - 1;
  }
}

/** What the payment service runs, as frames of Python. */

const SITE = "/usr/local/lib/python3.13/site-packages";
const LIBRARY = "/usr/local/lib/python3.13";

/** A frame as Sentry's SDK for Python describes it. */
interface PythonFrame {
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
function stackOf({ op }: Work, share: number): PythonFrame[] {
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
