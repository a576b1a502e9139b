/**
 * Whatever is sent ends in exactly one figure of the Usage page. A ledger of what was sent is kept on the sending side,
 * from the answers; the server is restarted twice in between.
 */
import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { ADMIN_TOKEN, type Server, startServer } from "../support/server.ts";
import { serverStores } from "../support/server_stores.ts";
import { api } from "../support/api_client.ts";
import { signIn } from "../support/browserless.ts";

const ITEMS = Number(Deno.env.get("TEST_ACCOUNTING_ITEMS") ?? 10_000);
const RESTARTS = 2;
const SENDERS = 8;

/** Quantities by `category/kind/reason`. */
class Ledger {
  readonly counts: Record<string, number> = {};

  add(category: string, kind: string, reason: string, quantity = 1): void {
    const key = `${category}/${kind}/${reason}`;
    this.counts[key] = (this.counts[key] ?? 0) + quantity;
  }

  get items(): number {
    return Object.values(this.counts).reduce((sum, count) => sum + count, 0);
  }
}

interface Made {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly headers?: Record<string, string>;
  /** What it is to be counted as when it is let in. */
  readonly entries:
    readonly (readonly [category: string, kind: string, reason: string, n: number])[];
  /** The status it gets when it is let in. */
  readonly status: number;
}

const id = () => crypto.randomUUID().replaceAll("-", "");
const bytes = (text: string) => new TextEncoder().encode(text);
const now = () => Date.now() / 1000;

function envelope(...items: [header: Record<string, unknown>, payload: unknown][]) {
  const lines = ["{}"];
  for (const [header, payload] of items) {
    lines.push(JSON.stringify(header));
    lines.push(typeof payload === "string" ? payload : JSON.stringify(payload));
  }
  return bytes(lines.join("\n"));
}

const event = (message = `Failure ${Math.floor(Math.random() * 20)}`) => ({
  event_id: id(),
  message,
});

function transaction(spans: number) {
  const trace = { trace_id: id(), span_id: id().slice(0, 16) };
  return {
    event_id: id(),
    type: "transaction",
    transaction: "GET /orders",
    start_timestamp: now() - 1,
    timestamp: now(),
    contexts: { trace },
    spans: Array.from({ length: spans }, () => ({
      span_id: id().slice(0, 16),
      start_timestamp: now() - 0.9,
      timestamp: now() - 0.1,
    })),
  };
}

let repeated = event();

/** One kind of request each, as often as it stands here. */
const KINDS: readonly (() => Made)[] = [
  () => ({
    body: envelope([{ type: "event" }, event()]),
    entries: [["error", "accepted", "", 1]],
    status: 200,
  }),
  () => {
    // The first time it is news, and a repeat from then on.
    const sent = repeated;
    repeated = event();
    return {
      body: envelope([{ type: "event" }, sent], [{ type: "event" }, sent]),
      entries: [["error", "accepted", "", 1], ["error", "duplicate", "", 1]],
      status: 200,
    };
  },
  () => ({
    body: envelope([{ type: "transaction" }, transaction(7)]),
    entries: [["transaction", "accepted", "", 1], ["span", "accepted", "", 7]],
    status: 200,
  }),
  () => ({
    body: envelope([{ type: "log", item_count: 25 }, {
      items: [
        ...Array.from({ length: 24 }, (_, index) => ({ timestamp: now(), body: `line ${index}` })),
        { timestamp: now() },
      ],
    }]),
    entries: [["log_item", "accepted", "", 24], ["log_item", "invalid", "invalid_log", 1]],
    status: 200,
  }),
  () => ({
    body: envelope(
      [{ type: "session" }, {
        sid: crypto.randomUUID(),
        started: now(),
        attrs: { release: "a@1" },
      }],
      [{ type: "sessions" }, {
        aggregates: [{ started: now(), exited: 3 }, { started: now() - 60, exited: 2 }],
        attrs: { release: "a@1" },
      }],
      [{ type: "session" }, { sid: crypto.randomUUID(), attrs: {} }],
    ),
    entries: [["session", "accepted", "", 2], ["session", "invalid", "no_release", 1]],
    status: 200,
  }),
  () => ({
    body: envelope([{ type: "client_report" }, {
      discarded_events: [{ category: "error", reason: "before_send", quantity: 3 }],
    }]),
    entries: [["internal", "accepted", "", 1], ["error", "client_discard", "before_send", 3]],
    status: 200,
  }),
  () => ({
    body: envelope(
      [{ type: "check_in" }, { monitor_slug: "job", status: "ok", check_in_id: id() }],
      [{ type: "trace_metric" }, {
        items: [{ timestamp: now(), name: "n", type: "counter", value: 1 }],
      }],
      [{ type: "attachment", length: 2 }, "hi"],
      [{ type: "event" }, event()],
      [{ type: "replay_event" }, {}],
      [{ type: "brand_new" }, {}],
    ),
    entries: [
      ["monitor", "accepted", "", 1],
      ["trace_metric", "accepted", "", 1],
      ["attachment", "accepted", "", 1],
      ["error", "accepted", "", 1],
      ["replay", "unsupported", "replay_event", 1],
      ["unknown", "unsupported", "unknown_item_type", 1],
    ],
    status: 200,
  }),
  () => ({
    body: envelope([{ type: "event" }, "not json"], [{ type: "event" }, event("filtered noise")]),
    entries: [["error", "invalid", "invalid_json", 1], ["error", "filtered", "message", 1]],
    status: 200,
  }),
  () => ({
    body: bytes("no envelope at all"),
    entries: [["unknown", "invalid", "unreadable_envelope", 1]],
    status: 400,
  }),
  () => ({
    body: new Uint8Array(gzipSync(envelope([{ type: "event" }, event("x".repeat(1_000_000))]))),
    headers: { "content-encoding": "gzip" },
    entries: [["error", "too_large", "event", 1]],
    status: 413,
  }),
];

Deno.test(`${ITEMS} items of all kinds over ${RESTARTS} restarts are all on the Usage page, each once`, async () => {
  await using stores = await serverStores();
  const ledger = new Ledger();
  let path: string | null = null;
  for (let round = 0; round <= RESTARTS; round++) {
    // A low rate, so that some requests are refused; every second a few hundred pass.
    await using server = await startServer({ SERVICE_INGEST_RATE_PER_SEC: "400" }, stores);
    path ??= await prepare(server);
    await sendUntil(server, path, ledger, (round + 1) / (RESTARTS + 1) * ITEMS);
    assert.equal(await server.stop(), 0);
  }
  await using server = await startServer({}, stores);
  assert.deepEqual(sorted(await usage(server)), sorted(ledger.counts));
});

/** A project with a filter. @returns path and query that its envelopes go to */
async function prepare(server: Server): Promise<string> {
  const { serverDsn } = await server.createProject("Ledger");
  const { username: key, pathname } = new URL(serverDsn);
  const project = pathname.slice(1);
  const admin = await signIn(server.url);
  const saved = await admin.post(`/projects/${project}/settings/filters`, {
    messages: "filtered*",
  });
  assert.equal(saved.status, 303);
  return `/api/${project}/envelope/?sentry_key=${key}`;
}

async function sendUntil(server: Server, path: string, ledger: Ledger, items: number) {
  let turn = 0;
  const sender = async () => {
    while (ledger.items < items) {
      const make = KINDS[turn++ % KINDS.length];
      if (make === undefined) break;
      const { body, headers = {}, entries, status } = make();
      const response = await fetch(server.url + path, { method: "POST", body, headers });
      await response.body?.cancel();
      if (response.status === 429) ledger.add("unknown", "rate_limited", "project_rate");
      else {
        assert.equal(response.status, status);
        for (const entry of entries) ledger.add(...entry);
      }
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, sender));
}

/** The figures of the Usage page, from its download. */
async function usage(server: Server): Promise<Record<string, number>> {
  const [organization] = await api<{ slug: string }[]>(server.url, ADMIN_TOKEN, "/organizations/");
  const admin = await signIn(server.url);
  const answer = await admin.get(`/organizations/${organization?.slug}/settings/usage/csv`);
  assert.equal(answer.status, 200);
  const counts: Record<string, number> = {};
  for (const line of answer.text.trim().split("\r\n").slice(1)) {
    const [, , category, kind, reason, quantity] = line.split(",");
    const key = `${category}/${kind}/${reason}`;
    counts[key] = (counts[key] ?? 0) + Number(quantity);
  }
  return counts;
}

function sorted(counts: Record<string, number>): [string, number][] {
  return Object.entries(counts).sort(([a], [b]) => a < b ? -1 : 1);
}
