/** One item of every type that the intake knows, as SDKs send it: where fuzzing starts from. */

export interface ItemSample {
  readonly header: Readonly<Record<string, unknown>>;
  readonly payload: unknown;
}

const TRACE_ID = "4c79f60c11214eb38604f4ae0781bfb2";
const SPAN_ID = "8c931f4740435fb8";
const EVENT_ID = "9ec79c33ec9942ab8353589fcb2e04dc";
/** When they were sent, in seconds since 1970. */
export const SAMPLES_SENT_AT = 1_795_132_800;
const NOW = SAMPLES_SENT_AT;
const attributes = {
  "sentry.release": { value: "shop@1.4.2", type: "string" },
  count: { value: 3, type: "integer" },
};

function container(type: string, element: unknown): ItemSample {
  return {
    header: { type, item_count: 1, content_type: `application/vnd.sentry.items.${type}+json` },
    payload: { version: 2, items: [element] },
  };
}

export const ITEM_SAMPLES: readonly ItemSample[] = [
  {
    header: { type: "event" },
    payload: {
      event_id: EVENT_ID,
      timestamp: NOW,
      platform: "node",
      exception: {
        values: [{
          type: "TypeError",
          value: "x is null",
          mechanism: { type: "generic", handled: false, exception_id: 0 },
          stacktrace: { frames: [{ function: "f", filename: "a.js", lineno: 1, vars: { a: 1 } }] },
        }],
      },
      breadcrumbs: { values: [{ timestamp: NOW, category: "http", data: { url: "/a" } }] },
      request: { url: "https://h/a?b=c", headers: [["Cookie", "a=b"]], data: "x=1" },
      user: { id: 7, ip_address: "{{auto}}" },
      contexts: { trace: { trace_id: TRACE_ID, span_id: SPAN_ID } },
    },
  },
  {
    header: { type: "transaction" },
    payload: {
      type: "transaction",
      event_id: EVENT_ID,
      transaction: "GET /",
      start_timestamp: NOW - 1,
      timestamp: NOW,
      contexts: { trace: { trace_id: TRACE_ID, span_id: SPAN_ID, op: "http.server" } },
      measurements: { lcp: { value: 1200, unit: "millisecond" } },
      spans: [{
        trace_id: TRACE_ID,
        span_id: "9c931f4740435fb8",
        parent_span_id: SPAN_ID,
        op: "db",
        description: "select 1",
        start_timestamp: NOW - 1,
        timestamp: NOW,
        data: { "db.system": "postgresql" },
      }],
    },
  },
  {
    header: { type: "span" },
    payload: {
      trace_id: TRACE_ID,
      span_id: SPAN_ID,
      op: "ui",
      start_timestamp: NOW - 1,
      timestamp: NOW,
      segment_id: SPAN_ID,
      measurements: { cls: { value: 0.1 } },
    },
  },
  container("span", {
    trace_id: TRACE_ID,
    span_id: SPAN_ID,
    name: "GET /",
    status: "ok",
    is_segment: true,
    start_timestamp: NOW - 1,
    end_timestamp: NOW,
    links: [{ trace_id: TRACE_ID, span_id: SPAN_ID }],
    attributes,
  }),
  container("log", {
    timestamp: NOW,
    trace_id: TRACE_ID,
    level: "info",
    severity_number: 9,
    body: "packed",
    attributes,
  }),
  container("trace_metric", {
    timestamp: NOW,
    trace_id: TRACE_ID,
    name: "orders",
    type: "distribution",
    unit: "millisecond",
    value: 3.5,
    attributes,
  }),
  {
    header: { type: "session" },
    payload: {
      sid: EVENT_ID,
      did: "7",
      init: true,
      seq: 1,
      started: "2026-11-20T00:00:00Z",
      timestamp: "2026-11-20T00:00:01Z",
      status: "exited",
      errors: 1,
      duration: 1.5,
      attrs: { release: "shop@1.4.2", environment: "production" },
    },
  },
  {
    header: { type: "sessions" },
    payload: {
      aggregates: [{ started: "2026-11-20T00:00:00Z", did: "7", exited: 5, crashed: 1 }],
      attrs: { release: "shop@1.4.2" },
    },
  },
  {
    header: { type: "check_in" },
    payload: {
      check_in_id: EVENT_ID,
      monitor_slug: "nightly",
      status: "ok",
      duration: 2,
      monitor_config: { schedule: { type: "crontab", value: "0 * * * *" }, timezone: "UTC" },
    },
  },
  {
    header: { type: "feedback" },
    payload: {
      event_id: EVENT_ID,
      timestamp: NOW,
      contexts: { feedback: { message: "It broke", contact_email: "a@b.test", name: "Ann" } },
    },
  },
  {
    header: { type: "user_report" },
    payload: { event_id: EVENT_ID, name: "Ann", email: "a@b.test", comments: "It broke" },
  },
  {
    header: { type: "client_report" },
    payload: {
      timestamp: NOW,
      discarded_events: [{ reason: "sample_rate", category: "error", quantity: 2 }],
    },
  },
  {
    header: { type: "profile" },
    payload: {
      event_id: EVENT_ID,
      platform: "node",
      version: "1",
      transaction: { id: EVENT_ID, name: "GET /", trace_id: TRACE_ID },
      profile: {
        frames: [{ function: "f", lineno: 1 }],
        stacks: [[0]],
        samples: [
          { stack_id: 0, thread_id: "0", elapsed_since_start_ns: 10 },
          { stack_id: 0, thread_id: "0", elapsed_since_start_ns: "20" },
        ],
      },
    },
  },
  {
    header: { type: "profile_chunk" },
    payload: {
      chunk_id: EVENT_ID,
      profiler_id: TRACE_ID,
      platform: "node",
      version: "2",
      profile: {
        frames: [{ function: "f", lineno: 1 }],
        stacks: [[0], []],
        samples: [
          { stack_id: 0, thread_id: "0", timestamp: NOW },
          { stack_id: 1, thread_id: "0", timestamp_ms: NOW * 1_000 + 10 },
        ],
      },
    },
  },
  {
    header: { type: "raw_security" },
    payload: {
      "csp-report": {
        "document-uri": "https://h/",
        "blocked-uri": "https://evil.test/a.js",
        "effective-directive": "script-src-elem",
      },
    },
  },
  {
    header: { type: "nel" },
    payload: [{ age: 10, type: "network-error", url: "https://h/", body: { type: "dns.failed" } }],
  },
  { header: { type: "attachment", filename: "a.json" }, payload: { a: 1 } },
  { header: { type: "replay_event" }, payload: { replay_id: EVENT_ID, urls: [] } },
  { header: { type: "hologram", item_count: 2 }, payload: { depth: 3 } },
];
