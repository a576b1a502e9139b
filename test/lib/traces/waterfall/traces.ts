import type { LinkedProfile } from "@/lib/profiles/mod.ts";
/** Traces to draw: small ones span by span, a lifelike one, and ones as large as are read at once. */
import type {
  Trace,
  TraceError,
  TraceLog,
  TraceSpan,
  WaterfallData,
} from "@/lib/traces/trace_types.ts";

export const TRACE_ID = "5f2a1c3d4e5f60718293a4b5c6d7e8f9";
/** Where the made traces begin, in milliseconds since 1970. */
export const START = Date.UTC(2026, 10, 21, 8, 5, 9);

/** A span `[start, end]` in milliseconds of the trace, named after its id unless told otherwise. */
export function span(
  id: string,
  parent: string | null,
  [start, end]: readonly [number, number],
  fields: Partial<TraceSpan> = {},
): TraceSpan {
  return {
    spanId: id,
    parentSpanId: parent,
    start: START + start,
    end: START + end,
    startNanos: nanosAt(start),
    endNanos: nanosAt(end),
    title: id,
    op: "work",
    kind: "",
    category: "",
    status: "ok",
    isFailed: false,
    isEntry: parent === null,
    service: "shop",
    environment: "production",
    release: "shop@1.0",
    ...fields,
  };
}

function nanosAt(ms: number): string {
  return String(BigInt(START) * 1_000_000n + BigInt(Math.round(ms * 1e6)));
}

/** A part of a trace, of the shop's project unless told otherwise. */
type Part<T> = T & { readonly projectId?: string };
export type MadeTrace = Trace & WaterfallData;

interface Fields extends Partial<Pick<WaterfallData, "projects" | "hiddenSpans" | "isCut">> {
  readonly errors?: readonly Part<TraceError>[];
  readonly logs?: readonly Part<TraceLog>[];
  readonly profiles?: readonly Part<LinkedProfile>[];
}

/** A trace of spans; they are put in the order in which traces are read. */
export function trace(spans: readonly Part<TraceSpan>[], fields: Fields = {}): MadeTrace {
  return {
    traceId: TRACE_ID,
    projects: [{ id: "7", name: "Shop" }],
    hiddenSpans: 0,
    isCut: false,
    ...fields,
    spans: placed(spans).sort((a, b) => a.start - b.start || (a.spanId < b.spanId ? -1 : 1)),
    errors: placed(fields.errors),
    logs: placed(fields.logs),
    profiles: placed(fields.profiles),
  };
}

function placed<T>(parts: readonly Part<T>[] = []) {
  return parts.map((part) => ({ ...part, projectId: part.projectId ?? "7" }));
}

/** 16 hex digits that stand for a number. */
export function idOf(number: number): string {
  return (number * 2_654_435_761 % 2 ** 48).toString(16).padStart(16, "a");
}

/** One span below the other, `spans` deep. */
export function deepTrace(spans: number): MadeTrace {
  return trace(
    Array.from(
      { length: spans },
      (_, index) =>
        span(idOf(index), index === 0 ? null : idOf(index - 1), [index, 2 * spans - index]),
    ),
  );
}

const STATEMENTS = [
  "SELECT id, name, price FROM products WHERE category_id = $1 ORDER BY price LIMIT 50",
  "SELECT * FROM stock WHERE product_id = $1 AND warehouse_id = $2 FOR UPDATE",
  "INSERT INTO orders (customer_id, total, currency, note) VALUES ($1, $2, $3, $4) RETURNING id",
  "GET https://rates.example.com/v2/latest?base=EUR",
];
const SERVICES = ["storefront", "checkout", "stock", "payments", "mailer"];

/** Many services and operations, some spans failed, errors and logs among them. */
export function largeTrace(spans: number): MadeTrace {
  const all = Array.from({ length: spans }, (_, index) => {
    const parent = index === 0 ? null : Math.floor((index - 1) / 4);
    const start = Math.log2(index + 1) * 40 + index * 0.01;
    return span(idOf(index), parent === null ? null : idOf(parent), [
      start,
      index === 0 ? 1_200 : start + 1 + (index * 7919) % (400 - start / 2),
    ], {
      title: index % 3 === 0
        ? `GET /products/${index}/reviews/:review`
        : STATEMENTS[index % STATEMENTS.length] ?? "",
      op: index % 3 === 0 ? "http.server" : index % 4 === 3 ? "http.client" : "db.query",
      category: index % 3 === 0 ? "" : index % 4 === 3 ? "http" : "db",
      service: SERVICES[Math.floor(index / 250) % SERVICES.length] ?? "",
      isFailed: index % 97 === 50,
      status: index % 97 === 50 ? "internal_error" : "ok",
    });
  });
  return trace(all, {
    errors: all.filter(({ isFailed }) => isFailed).map(({ spanId, end }, index) => ({
      eventId: `e${spanId}`.padEnd(32, "0"),
      issueId: String(index + 1),
      spanId,
      time: end,
      level: "error",
      title: "TypeError: Cannot read properties of undefined (reading 'total')",
      culprit: "checkout/cart.ts in total",
    })),
  });
}

/** What a shop with a browser, three services and a queue sends when somebody orders. */
export function orderTrace(): MadeTrace {
  const web = { service: "storefront" };
  const shop = { service: "checkout" };
  const stock = { service: "stock" };
  const spans = [
    span("b000000000000001", null, [0, 1_840], { ...web, title: "/checkout", op: "pageload" }),
    span("b000000000000002", "b000000000000001", [12, 96], {
      ...web,
      title: "https://shop.example.com/assets/app-8f1d22.js",
      op: "resource.script",
      category: "resource",
    }),
    span("b000000000000003", "b000000000000001", [220, 1_710], {
      ...web,
      title: "POST https://shop.example.com/api/orders",
      op: "http.client",
      kind: "client",
      category: "http",
    }),
    // The clock of this machine is 4 seconds ahead.
    span("c000000000000001", "b000000000000003", [4_245, 5_690], {
      ...shop,
      title: "POST /api/orders",
      op: "http.server",
      kind: "server",
      isEntry: true,
      isFailed: true,
      status: "internal_error",
    }),
    span("c000000000000002", "c000000000000001", [4_250, 4_262], {
      ...shop,
      title: "SELECT * FROM carts WHERE id = $1",
      op: "db.query",
      category: "db",
    }),
    ...Array.from(
      { length: 12 },
      (_, index) =>
        span(`c0000000000001${index.toString(16).padStart(2, "0")}`, "c000000000000001", [
          4_270 + index * 31,
          4_270 + index * 31 + 22,
        ], {
          ...shop,
          title: "SELECT name, price FROM products WHERE id = $1",
          op: "db.query",
          category: "db",
          isFailed: index === 7,
          status: index === 7 ? "deadline_exceeded" : "ok",
        }),
    ),
    span("c000000000000003", "c000000000000001", [4_660, 5_180], {
      ...shop,
      title: "POST http://stock/reserve",
      op: "http.client",
      kind: "client",
      category: "http",
    }),
    span("d000000000000001", "c000000000000003", [668, 1_150], {
      ...stock,
      title: "POST /reserve",
      op: "http.server",
      kind: "server",
      isEntry: true,
    }),
    span("d000000000000002", "d000000000000001", [680, 690], {
      ...stock,
      title: "GET stock:4711",
      op: "cache.get",
      category: "cache",
    }),
    span("d000000000000003", "d000000000000001", [700, 1_120], {
      ...stock,
      title: "UPDATE stock SET reserved = reserved + $1 WHERE product_id = $2",
      op: "db.query",
      category: "db",
    }),
    span("c000000000000004", "c000000000000001", [5_200, 5_640], {
      ...shop,
      title: "charge card",
      op: "function",
      isFailed: true,
      status: "internal_error",
    }),
    span("c000000000000005", "c000000000000004", [5_210, 5_230], {
      ...shop,
      title: "publish orders",
      op: "queue.publish",
      kind: "producer",
      category: "queue",
    }),
    span("f000000000000001", "c000000000000005", [1_900, 2_600], {
      service: "mailer",
      title: "process orders",
      op: "queue.process",
      kind: "consumer",
      category: "queue",
      isEntry: true,
    }),
    span("f000000000000002", "f0000000000000ff", [2_010, 2_380], {
      service: "mailer",
      title: "render mail.order-confirmation",
      op: "template.render",
      category: "render",
    }),
  ];
  return trace(spans, {
    errors: [{
      eventId: "e".repeat(32),
      issueId: "12",
      spanId: "c000000000000004",
      time: START + 5_632,
      level: "error",
      title: "PaymentDeclined: The card was declined",
      culprit: "payments/charge.ts in charge",
    }],
    logs: [
      {
        logId: "1".repeat(32),
        spanId: "c000000000000001",
        time: START + 4_251,
        level: "info",
        body: "Order received",
      },
      {
        logId: "2".repeat(32),
        spanId: "c000000000000004",
        time: START + 5_400,
        level: "warn",
        body: "Retrying the charge",
      },
      {
        logId: "3".repeat(32),
        spanId: "c000000000000004",
        time: START + 5_630,
        level: "error",
        body: "Charge failed: card_declined",
      },
      {
        logId: "4".repeat(32),
        spanId: null,
        time: START + 2_000,
        level: "debug",
        body: "Worker woke up",
      },
    ],
    profiles: [{
      profileId: "9".repeat(32),
      spanId: "d000000000000001",
      time: START + 668,
      durationMs: 482,
      source: "pprof",
      kind: "cpu",
      service: "",
      types: ["samples:count", "cpu:nanoseconds"],
      profilerId: null,
      threadId: null,
      clip: null,
      isByLabel: false,
    }],
  });
}
