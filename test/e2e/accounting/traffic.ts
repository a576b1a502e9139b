/** Requests of every sort, each with what it must be counted as. */
import { gzipSync } from "node:zlib";
import type { Count, Once } from "./ledger.ts";

/** The service under test takes requests and events up to this many bytes. */
export const MAX_EVENT_BYTES = 200_000;
/** The projects under test want nothing from these releases. */
export const UNWANTED_RELEASES = "canary@*";

export interface Sending {
  readonly endpoint: "envelope" | "store";
  readonly body: string | Uint8Array<ArrayBuffer>;
  readonly encoding?: "gzip";
  /** Unless it is refused for there being too many. */
  readonly status: number;
  readonly counts: readonly Count[];
  readonly once: readonly Once[];
  /** How many items are in it. */
  readonly items: number;
}

/** A part of an envelope. */
interface Part {
  readonly lines: readonly string[];
  readonly counts?: readonly Count[];
  readonly once?: readonly Once[];
}

/** Makes requests, the same mix in the same order every time. */
export class Traffic {
  #made = 0;
  readonly #repeatable: Sending[] = [];

  /** The next request: mostly envelopes of several items, now and then something that is refused. */
  next(): Sending {
    const n = this.#made++;
    if (n % 25 === 24) return this.#refused(n);
    if (n % 10 === 9) return this.#repeated(n);
    if (n % 20 === 3) return storeRequest(id());
    const made = envelope([
      ...(n % 2 === 0 ? [event(id())] : [transaction(id(), 5 + n % 25)]),
      ...(n % 4 === 0 ? [attachment()] : []),
      ...(n % 3 === 0 ? [logs(10 + n % 40, n % 5)] : []),
      ...(n % 3 === 1 ? [metrics(5 + n % 10), session(id()), sessions()] : []),
      ...(n % 5 === 0 ? [clientReport(), checkIn()] : []),
      ...(n % 7 === 0 ? [...INVALID, UNKNOWN_TYPE, REPLAY] : []),
      ...(n % 6 === 1 ? [unwantedEvent()] : []),
      ...(n % 11 === 0 ? [TOO_LARGE_SESSION] : []),
      ...(n % 13 === 0 ? [BROKEN_TAIL] : []),
    ]);
    if (made.once.length > 0) this.#repeatable.push(made);
    return made;
  }

  /** Something from before, however long ago: what it brings is stored once, what has no id counts again. */
  #repeated(n: number): Sending {
    return this.#repeatable[(n * 7) % this.#repeatable.length] ?? envelope([event(id())]);
  }

  #refused(n: number): Sending {
    const makers = [oversizeRequest, oversizeEvent, brokenGzip, noEnvelope, brokenStoreRequest];
    const make = makers[Math.floor(n / 25) % makers.length] ?? noEnvelope;
    return make();
  }
}

/** One item and nothing else, for sending very often. */
export function smallRequest(): Sending {
  return envelope([session(id())]);
}

function envelope(parts: readonly Part[]): Sending {
  const counts = parts.flatMap((part) => part.counts ?? []);
  const once = parts.flatMap((part) => part.once ?? []);
  return {
    endpoint: "envelope",
    body: [{}, ...parts.flatMap(({ lines }) => lines)]
      .map((line) => typeof line === "string" ? line : JSON.stringify(line)).join("\n"),
    status: 200,
    counts,
    once,
    items: [...counts.filter(({ kind }) => kind !== "client_discard"), ...once]
      .reduce((sum, { quantity }) => sum + quantity, 0),
  };
}

function item(header: Record<string, unknown>, payload: unknown): string[] {
  return [JSON.stringify(header), JSON.stringify(payload)];
}

function errorPayload(eventId: string) {
  return {
    event_id: eventId,
    timestamp: now(),
    platform: "node",
    exception: { values: [{ type: "PrinterError", value: "Out of paper" }] },
  };
}

function event(eventId: string): Part {
  return {
    lines: item({ type: "event" }, errorPayload(eventId)),
    once: [{ id: eventId, category: "error", quantity: 1 }],
  };
}

function unwantedEvent(): Part {
  return {
    lines: item({ type: "event" }, { ...errorPayload(id()), release: "canary@2.0.0" }),
    counts: [{ category: "error", kind: "filtered", quantity: 1 }],
  };
}

function transaction(eventId: string, spans: number): Part {
  const traceId = id();
  const span = (name: string) => ({
    span_id: id().slice(16),
    trace_id: traceId,
    op: "db",
    description: name,
    start_timestamp: now() - 1,
    timestamp: now(),
  });
  const payload = {
    type: "transaction",
    event_id: eventId,
    transaction: "GET /print",
    start_timestamp: now() - 1,
    timestamp: now(),
    contexts: { trace: { trace_id: traceId, span_id: id().slice(16), op: "http.server" } },
    spans: [...Array.from({ length: spans }, (_, index) => span(`select ${index}`)), "no span"],
  };
  return {
    lines: item({ type: "transaction" }, payload),
    counts: [{ category: "span", kind: "invalid", quantity: 1 }],
    once: [
      { id: eventId, category: "transaction", quantity: 1, traceId },
      { id: eventId, category: "span", quantity: spans, traceId },
    ],
  };
}

function attachment(): Part {
  return {
    lines: item({ type: "attachment", filename: "print.json" }, { pages: 3 }),
    counts: [{ category: "attachment", kind: "accepted", quantity: 1 }],
  };
}

function logs(good: number, bad: number): Part {
  const items = [
    ...Array.from({ length: good }, (_, index) => (
      { timestamp: now(), level: "info", body: `page ${index}` }
    )),
    ...Array.from({ length: bad }, () => ({ level: "info" })),
  ];
  return {
    lines: item({ type: "log", item_count: items.length }, { items }),
    counts: [
      { category: "log_item", kind: "accepted", quantity: good },
      { category: "log_item", kind: "invalid", quantity: bad },
    ],
  };
}

function metrics(count: number): Part {
  const items = Array.from({ length: count }, (_, index) => (
    { timestamp: now(), name: "pages", type: "counter", value: index }
  ));
  return {
    lines: item({ type: "trace_metric", item_count: count }, { items }),
    counts: [{ category: "trace_metric", kind: "accepted", quantity: count }],
  };
}

function session(sessionId: string): Part {
  const update = {
    sid: sessionId,
    init: true,
    seq: 1,
    started: new Date().toISOString(),
    status: "ok",
    attrs: { release: "printer@1.0.0" },
  };
  return {
    lines: item({ type: "session" }, update),
    once: [{ id: sessionId, category: "session", quantity: 1 }],
  };
}

function sessions(): Part {
  const aggregates = [{ started: new Date().toISOString(), exited: 7, crashed: 1 }];
  return {
    lines: item({ type: "sessions" }, { aggregates, attrs: { release: "printer@1.0.0" } }),
    counts: [{ category: "session", kind: "accepted", quantity: 1 }],
  };
}

function clientReport(): Part {
  const discarded = [
    { reason: "before_send", category: "error", quantity: 3 },
    { reason: "sample_rate", category: "span", quantity: 11 },
  ];
  return {
    lines: item({ type: "client_report" }, { timestamp: now(), discarded_events: discarded }),
    counts: [
      { category: "internal", kind: "accepted", quantity: 1 },
      { category: "error", kind: "client_discard", quantity: 3 },
      { category: "span", kind: "client_discard", quantity: 11 },
    ],
  };
}

let checkIns = 0;

/** A project has a thousand jobs, and of each environment six check-ins are taken in a minute: every one is another. */
function checkIn(): Part {
  const checkInId = id();
  const place = {
    monitor_slug: `refill-${checkIns % 500}`,
    environment: `e-${Math.floor(checkIns++ / 500)}`,
  };
  return {
    lines: item(
      { type: "check_in" },
      { check_in_id: checkInId, ...place, status: "ok", duration: 2 },
    ),
    once: [{ id: checkInId, category: "monitor", quantity: 1 }],
  };
}

const INVALID: readonly Part[] = [
  {
    lines: item({ type: "event" }, "not an event"),
    counts: [{ category: "error", kind: "invalid", quantity: 1 }],
  },
  {
    lines: item({ type: "transaction" }, { type: "transaction", spans: [{}, {}, {}] }),
    counts: [
      { category: "transaction", kind: "invalid", quantity: 1 },
      { category: "span", kind: "invalid", quantity: 3 },
    ],
  },
  {
    lines: item({ type: "session" }, { status: "ok" }),
    counts: [{ category: "session", kind: "invalid", quantity: 1 }],
  },
];

const UNKNOWN_TYPE: Part = {
  lines: item({ type: "hologram", item_count: 4 }, { depth: 3 }),
  counts: [{ category: "unknown", kind: "unsupported", quantity: 4 }],
};

const REPLAY: Part = {
  lines: item({ type: "replay_event" }, { replay_id: "1" }),
  counts: [{ category: "replay", kind: "unsupported", quantity: 1 }],
};

const TOO_LARGE_SESSION: Part = {
  lines: item({ type: "session" }, { did: "x".repeat(70_000) }),
  counts: [{ category: "session", kind: "too_large", quantity: 1 }],
};

/** What comes after it is lost, so it comes last. */
const BROKEN_TAIL: Part = {
  lines: ["this is no header of an item"],
  counts: [{ category: "unknown", kind: "invalid", quantity: 1 }],
};

function storeRequest(eventId: string): Sending {
  return {
    endpoint: "store",
    body: JSON.stringify(errorPayload(eventId)),
    status: 200,
    counts: [],
    once: [{ id: eventId, category: "error", quantity: 1 }],
    items: 1,
  };
}

/** A request that is refused as a whole, and counts as one. */
function refused(
  request: Pick<Sending, "endpoint" | "body" | "encoding" | "status">,
  category: string,
  kind: Count["kind"],
): Sending {
  return { ...request, counts: [{ category, kind, quantity: 1 }], once: [], items: 1 };
}

function oversizeRequest(): Sending {
  const body = "x".repeat(MAX_EVENT_BYTES + 1);
  return refused({ endpoint: "envelope", body, status: 413 }, "unknown", "too_large");
}

function oversizeEvent(): Sending {
  const payload = { ...errorPayload(id()), extra: { blank: " ".repeat(MAX_EVENT_BYTES) } };
  const body = gzipped(["{}", ...item({ type: "event" }, payload)].join("\n"));
  const request = { endpoint: "envelope", body, encoding: "gzip", status: 413 } as const;
  return refused(request, "error", "too_large");
}

function brokenGzip(): Sending {
  const body = gzipped("{}").subarray(0, 12);
  const request = { endpoint: "envelope", body, encoding: "gzip", status: 400 } as const;
  return refused(request, "unknown", "invalid");
}

function noEnvelope(): Sending {
  return refused({ endpoint: "envelope", body: "hello", status: 400 }, "unknown", "invalid");
}

function brokenStoreRequest(): Sending {
  return refused({ endpoint: "store", body: "[1, 2]", status: 400 }, "error", "invalid");
}

function gzipped(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(gzipSync(text));
}

function id(): string {
  return crypto.randomUUID().replaceAll("-", "");
}

/** Seconds since 1970. */
function now(): number {
  return Date.now() / 1000;
}
