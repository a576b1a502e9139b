/** A project with everything that programs send, and what goes out of it and into another one. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { createProject, type Project } from "@/lib/accounts/projects.ts";
import { importInto } from "@/lib/ingest/import/run_import.ts";
import { bundledFiles, saveBundle } from "@/lib/sourcemaps/mod.ts";
import { exportFile, takeImport } from "@/lib/transfers/files.ts";
import { startTransfers } from "@/lib/transfers/mod.ts";
import { askForTransfer, findTransfer, type Transfer } from "@/lib/transfers/transfers.ts";
import { pprofGzip } from "./pprof.ts";
import { silentLogger } from "./silent_logger.ts";
import { type TestIntake, testIntake } from "./test_intake.ts";
import { waitFor } from "./wait_for.ts";

export const TOKEN = "bootstrap-token-0123456789";
export const SENTRY_TRACE = "0123456789abcdef0123456789abcdef";
export const OTLP_TRACE = "fedcba9876543210fedcba9876543210";

export interface Transferred extends TestIntake {
  /** An answer of the API below a project. */
  read<T>(project: Project, path: string): Promise<T>;
  /** An empty project of the same organization. */
  empty(name: string): Promise<Project>;
  /** Does what waits, where the services' own clock does not. */
  work(): Promise<void>;
  /** A project as an archive: all of it, or what is of a time. */
  exported(
    project: Project,
    range?: { readonly since?: Date; readonly until?: Date },
  ): Promise<Uint8Array>;
  /** Imports a file and says what became of it. */
  imported(
    project: Project,
    name: string,
    bytes: Uint8Array | string,
    takesSettings?: boolean,
  ): Promise<Transfer>;
}

export async function transferred(): Promise<Transferred> {
  const intake = await testIntake({ adminToken: TOKEN });
  const { services, organization } = intake;
  const clock = startTransfers({
    ...services,
    log: silentLogger,
    retentionDays: services.config.retentionDays,
    runImport: importInto(services),
    everyMs: null,
  });
  const end = (project: Project, id: string) =>
    waitFor("the end of the transfer", async () => {
      await clock.run();
      const found = await findTransfer(services.sql, project.id, id);
      return found?.state === "waiting" ? undefined : found ?? undefined;
    });
  return {
    ...intake,
    async read<T>(project: Project, path: string) {
      const base = /^\/issues\/\d/.test(path) ? "/api/0" : `/api/0/projects/acme/${project.slug}`;
      const answer = await intake.send(base + path, {
        headers: { authorization: `Bearer ${TOKEN}` },
      });
      const text = await answer.text();
      assert.equal(answer.status, 200, `${path}: ${text}`);
      const body: T = JSON.parse(text);
      return body;
    },
    empty: (name) =>
      createProject(services.kv, { organizationId: organization.id, name, platform: "node" }),
    work: () => clock.run(),
    async exported(project, range = {}) {
      const asked = { kind: "export", by: "olga", ...range } as const;
      const id = await askForTransfer(services.sql, project, asked);
      const transfer = await end(project, id);
      assert.equal(transfer.state, "done", transfer.lastError);
      const file = await exportFile(services, project, transfer);
      assert.ok(file);
      return await file.bytes();
    },
    async imported(project, name, sent, takesSettings = false) {
      const bytes = typeof sent === "string" ? new TextEncoder().encode(sent) : sent;
      const id = await takeImport(services, project, { name, bytes }, "olga", takesSettings);
      return await end(project, id);
    },
    async [Symbol.asyncDispose]() {
      await clock.close();
      await intake[Symbol.asyncDispose]();
    },
  };
}

function hex(length: number): string {
  return crypto.getRandomValues(new Uint8Array(length / 2)).toHex();
}

/** Seconds since 1970, whole, some minutes ago: what is stored does not depend on the moment. */
export const AT = Math.floor(Date.now() / 1_000 / 60) * 60 - 1_800;

async function ok(answer: Promise<Response>): Promise<void> {
  const { status } = await answer;
  assert.ok(status < 300, String(status));
}

function envelope(id: string, ...items: [header: Record<string, unknown>, body: string][]): string {
  const lines = items.flatMap(([head, body]) => [
    JSON.stringify({ ...head, length: new TextEncoder().encode(body).length }),
    body,
  ]);
  return [JSON.stringify({ event_id: id, sent_at: new Date().toISOString() }), ...lines].join("\n");
}

function errorOf(type: string, line: string, at: number, index: number) {
  return {
    platform: "node",
    timestamp: at,
    level: index % 2 === 0 ? "error" : "warning",
    release: `shop@1.${index}`,
    environment: "production",
    transaction: "GET /cart",
    tags: { feature: `f${index}`, region: "eu" },
    user: { id: String(index), email: `u${index}@example.com`, data: { plan: "gold" } },
    request: { url: "https://shop.example/cart?a=1", method: "GET", headers: { accept: "*/*" } },
    contexts: {
      os: { name: "Linux", version: "6.1" },
      trace: { trace_id: SENTRY_TRACE, span_id: "00f067aa0ba902b7" },
    },
    breadcrumbs: { values: [{ timestamp: at - 1, category: "ui", message: "clicked" }] },
    extra: { cart: { items: [1, 2.5, null, "three"] } },
    sdk: { name: "sentry.javascript.node", version: "9.1.0" },
    exception: {
      values: [{
        type,
        value: `${type} number ${index}`,
        mechanism: { type: "generic", handled: index % 2 === 0 },
        stacktrace: {
          frames: [
            { filename: "node:internal", function: "run", lineno: 1, in_app: false },
            {
              filename: "/app/cart.js",
              function: line,
              lineno: 10 + index,
              colno: 3,
              in_app: true,
              pre_context: ["a", "b"],
              context_line: `  ${line}();`,
              post_context: ["c"],
              vars: { x: "1" },
            },
          ],
        },
      }],
    },
  };
}

/** Sends errors of two groups, a message, a file, a transaction with spans, a log, a metric: as Sentry's SDKs do. */
export async function sendSentry({ post }: Pick<TestIntake, "post">): Promise<void> {
  for (let index = 0; index < 4; index++) {
    const [type, line] = index % 2 === 0 ? ["TypeError", "total"] : ["RangeError", "load"];
    await ok(post(envelope(
      hex(32),
      [{ type: "event" }, JSON.stringify(errorOf(type, line, AT + index, index))],
      [{ type: "attachment", filename: "state.txt", content_type: "text/plain" }, `state ${index}`],
    )));
  }
  const message = {
    platform: "python",
    timestamp: AT,
    logentry: { message: "low on %s", params: ["disk"] },
  };
  await ok(post(envelope(hex(32), [{ type: "event" }, JSON.stringify(message)])));
  const transaction = {
    type: "transaction",
    platform: "node",
    transaction: "GET /cart",
    transaction_info: { source: "route" },
    start_timestamp: AT + 0.123456,
    timestamp: AT + 1.5,
    release: "shop@1.0",
    environment: "production",
    user: { id: "7" },
    tags: { region: "eu" },
    measurements: { lcp: { value: 1_200.5, unit: "millisecond" } },
    sdk: { name: "sentry.javascript.node", version: "9.1.0" },
    contexts: {
      trace: {
        trace_id: SENTRY_TRACE,
        span_id: "00f067aa0ba902b7",
        op: "http.server",
        status: "ok",
        client_sample_rate: 0.5,
        data: { "http.response.status_code": 200 },
      },
    },
    spans: [{
      trace_id: SENTRY_TRACE,
      span_id: "1111111111111111",
      parent_span_id: "00f067aa0ba902b7",
      op: "db.sql.query",
      description: "select * from carts where id = 7",
      origin: "auto.db.pg",
      status: "ok",
      start_timestamp: AT + 0.2,
      timestamp: AT + 0.9,
      data: { "db.system": "postgresql", "db.rows": 3, nested: { list: [1, "a"] } },
    }, {
      trace_id: SENTRY_TRACE,
      span_id: "2222222222222222",
      parent_span_id: "1111111111111111",
      op: "http.client",
      description: "GET https://pay.example/charge",
      status: "internal_error",
      start_timestamp: AT + 0.3,
      timestamp: AT + 0.8,
    }],
  };
  await ok(post(envelope(hex(32), [{ type: "transaction" }, JSON.stringify(transaction)])));
  const log = {
    timestamp: AT + 0.25,
    trace_id: SENTRY_TRACE,
    level: "warn",
    body: "stock is low",
    attributes: { "sku": { type: "string", value: "a-1" }, "left": { type: "integer", value: 3 } },
  };
  await ok(post(envelope(hex(32), [
    { type: "log", item_count: 2, content_type: "application/vnd.sentry.items.log+json" },
    JSON.stringify({ items: [log, log] }),
  ])));
}

const RESOURCE = {
  attributes: [
    { key: "service.name", value: { stringValue: "checkout" } },
    { key: "service.version", value: { stringValue: "2.0" } },
    { key: "deployment.environment.name", value: { stringValue: "production" } },
    { key: "host.name", value: { stringValue: "web-1" } },
    { key: "telemetry.sdk.name", value: { stringValue: "opentelemetry" } },
    { key: "telemetry.sdk.version", value: { stringValue: "1.30" } },
    { key: "telemetry.sdk.language", value: { stringValue: "go" } },
  ],
};

const nanos = (seconds: number) => `${Math.round(seconds * 1e6)}123`;

/** `ExportTraceServiceRequest` of a Collector, with an exception in it. */
export const OTLP_SPANS = {
  resourceSpans: [{
    resource: RESOURCE,
    scopeSpans: [{
      scope: { name: "otelhttp", version: "0.1" },
      spans: [{
        traceId: OTLP_TRACE,
        spanId: "aaaaaaaaaaaaaaaa",
        name: "GET /orders/:id",
        kind: 2,
        startTimeUnixNano: nanos(AT),
        endTimeUnixNano: nanos(AT + 0.75),
        attributes: [
          { key: "http.request.method", value: { stringValue: "GET" } },
          { key: "http.route", value: { stringValue: "/orders/:id" } },
          { key: "http.response.status_code", value: { intValue: "500" } },
          { key: "ratio", value: { doubleValue: 0.25 } },
        ],
        status: { code: 2, message: "boom" },
      }, {
        traceId: OTLP_TRACE,
        spanId: "bbbbbbbbbbbbbbbb",
        parentSpanId: "aaaaaaaaaaaaaaaa",
        name: "SELECT orders",
        kind: 3,
        startTimeUnixNano: nanos(AT + 0.1),
        endTimeUnixNano: nanos(AT + 0.6),
        attributes: [
          { key: "db.system.name", value: { stringValue: "postgresql" } },
          { key: "db.query.text", value: { stringValue: "select * from orders where id = 1" } },
        ],
        events: [{
          timeUnixNano: nanos(AT + 0.5),
          name: "exception",
          attributes: [
            { key: "exception.type", value: { stringValue: "Deadlock" } },
            { key: "exception.message", value: { stringValue: "two of them" } },
          ],
        }],
        links: [{ traceId: SENTRY_TRACE, spanId: "1111111111111111" }],
        status: { code: 2 },
      }],
    }],
  }],
};

export const OTLP_LOGS = {
  resourceLogs: [{
    resource: RESOURCE,
    scopeLogs: [{
      scope: { name: "orders" },
      logRecords: [1, 2, 3].map((index) => ({
        timeUnixNano: nanos(AT + index / 10),
        severityNumber: 9 + 4 * (index % 2),
        severityText: "INFO",
        body: { stringValue: `order ${index}` },
        attributes: [{ key: "order", value: { intValue: String(index) } }],
        traceId: OTLP_TRACE,
        spanId: "aaaaaaaaaaaaaaaa",
      })),
    }],
  }],
};

const point = (index: number) => ({
  attributes: [{ key: "route", value: { stringValue: "/orders" } }],
  startTimeUnixNano: nanos(AT - 3_600),
  timeUnixNano: nanos(AT + 60 * index),
});

export const OTLP_METRICS = {
  resourceMetrics: [{
    resource: RESOURCE,
    scopeMetrics: [{
      scope: { name: "meter" },
      metrics: [
        {
          name: "requests",
          unit: "{request}",
          description: "Requests served",
          sum: {
            aggregationTemporality: 2,
            isMonotonic: true,
            dataPoints: [1, 2, 3].map((index) => ({ ...point(index), asInt: String(10 * index) })),
          },
        },
        {
          name: "memory",
          unit: "By",
          gauge: {
            dataPoints: [1, 2, 3].map((index) => ({ ...point(index), asDouble: 1.5 * index })),
          },
        },
        {
          name: "latency",
          unit: "ms",
          histogram: {
            aggregationTemporality: 1,
            dataPoints: [1, 2, 3].map((index) => ({
              ...point(index),
              startTimeUnixNano: nanos(AT + 60 * (index - 1)),
              count: "6",
              sum: 90.5,
              min: 1,
              max: 60,
              explicitBounds: [5, 25, 50],
              bucketCounts: ["1", "2", "2", "1"],
            })),
          },
        },
        {
          name: "size",
          unit: "By",
          exponentialHistogram: {
            aggregationTemporality: 1,
            dataPoints: [1, 2].map((index) => ({
              ...point(index),
              startTimeUnixNano: nanos(AT + 60 * (index - 1)),
              count: "9",
              sum: 120,
              scale: 2,
              zeroCount: "1",
              positive: { offset: 3, bucketCounts: ["2", "0", "6"] },
            })),
          },
        },
      ],
    }],
  }],
};

/** Sends a trace, logs, metrics and a profile: as OpenTelemetry and profilers do. */
export async function sendOtlp(
  { send, serverKey }: Pick<TestIntake, "send" | "serverKey">,
): Promise<void> {
  const headers = { authorization: `Bearer ${serverKey}`, "content-type": "application/json" };
  const otlp = (path: string, body: unknown) =>
    ok(send(path, { method: "POST", headers, body: JSON.stringify(body) }));
  await otlp("/v1/traces", OTLP_SPANS);
  await otlp("/v1/logs", OTLP_LOGS);
  await otlp("/v1/metrics", OTLP_METRICS);
  await ok(send("/api/v1/profiles/pprof?service=checkout&environment=production&labels=zone=a", {
    method: "POST",
    headers: { authorization: `Bearer ${serverKey}` },
    body: pprofGzip(undefined, { timeNanos: BigInt(AT) * 1_000_000_000n }),
  }));
}

export const MAP_ID = "1".repeat(32);
export const MAPPING_ID = "2".repeat(32);
const FILES = {
  "files/app.js": `x();\n//# debugId=${MAP_ID}\n`,
  "files/app.js.map": JSON.stringify({ version: 3, sources: [], mappings: "", debug_id: MAP_ID }),
};
const MAPPING = "com.example.A -> a:\n";

/** Uploads a bundle of a script with its map, and a ProGuard mapping: three files. */
export async function sendMaps({ services, organization, project }: TestIntake): Promise<void> {
  const { sql, objects } = services;
  const space = { usedBytes: 0, maxBytes: 1e9 };
  const owner = { projectId: project.id, organizationId: organization.id };
  const sha1 = (text: string) => createHash("sha1").update(text).digest("hex");
  const fileOf = (text: string) => ({
    size: text.length,
    read: () => Promise.resolve(new Uint8Array(Buffer.from(text))),
  });
  const manifest = {
    release: "shop@1.0",
    dist: "7",
    files: {
      "files/app.js": {
        type: "minified_source",
        url: "~/app.js",
        headers: { "Sourcemap": "app.js.map", "debug-id": MAP_ID },
      },
      "files/app.js.map": { type: "source_map", url: "~/app.js.map" },
    },
  };
  const bundle = bundledFiles(
    manifest,
    (name) => fileOf(FILES[name as keyof typeof FILES]),
  );
  await saveBundle({ ...owner, ...bundle, kind: "bundle", sha1: sha1("bundle") }, {
    sql,
    objects,
    space,
  });
  const mapping = {
    type: "proguard",
    url: "mapping.txt",
    headers: {},
    debugId: MAPPING_ID,
  } as const;
  const file = { ...mapping, ...fileOf(MAPPING), sizeBytes: MAPPING.length };
  const proguard = { ...owner, release: "", dist: "", files: [file] };
  await saveBundle({ ...proguard, kind: "proguard", sha1: sha1(MAPPING) }, { sql, objects, space });
}
