/** Export requests as an OpenTelemetry SDK's batch processor sends them: 64 traces of 8 spans of one process. */
import { gzipSync } from "node:zlib";
import { attributes, traces } from "@/test/lib/formats/otlp/otlp_samples.ts";
import { tracesToProtobuf } from "@/test/lib/formats/otlp/otlp_to_protobuf.ts";
import type { MadeRequest } from "../../mixed/requests.ts";
import { Random } from "../world/random.ts";
import { type Endpoint, ENDPOINTS, type Work } from "../world/shop.ts";

const TRACES = 64;
const CHILDREN = 7;
const PROCESSES = 8;
export const SPANS_PER_EXPORT = TRACES * (1 + CHILDREN);

/** The request number `index`, its ids its own; what it holds happened just now. */
export function exportRequest(index: number): MadeRequest {
  const random = new Random(crypto.getRandomValues(new Uint32Array(1))[0] ?? index);
  const spans = Array.from({ length: TRACES }, () => makeTrace(random)).flat();
  const bytes = tracesToProtobuf(traces(spans, resourceOf(index % PROCESSES)));
  return { body: gzipSync(bytes), bytes: bytes.length };
}

function resourceOf(process: number): Record<string, unknown> {
  return {
    "service.name": process % 2 === 0 ? "checkout" : "stock",
    "service.version": "1.4.2",
    "service.instance.id": `instance-${process}`,
    "deployment.environment.name": "production",
    "host.name": `web-${process}`,
    "telemetry.sdk.language": "nodejs",
    "telemetry.sdk.name": "opentelemetry",
    "telemetry.sdk.version": "2.12.0",
  };
}

function makeTrace(random: Random): Record<string, unknown>[] {
  const endpoint = random.pickRanked(ENDPOINTS.checkout);
  const traceId = random.hex(32);
  const durationMs = random.around(endpoint.medianMs);
  const start = Date.now() - durationMs - random.below(5_000);
  const spanId = random.hex(16);
  const span = (fields: Record<string, unknown>, from: number, ms: number) => ({
    traceId,
    startTimeUnixNano: nanos(from),
    endTimeUnixNano: nanos(from + ms),
    status: random.chance(0.02) ? { code: 2 } : {},
    flags: 257,
    ...fields,
  });
  const server = span(
    { spanId, name: endpoint.name, kind: 2, attributes: serverAttributes(endpoint, random) },
    start,
    durationMs,
  );
  const children = endpoint.works.slice(0, CHILDREN).map((work, place) =>
    span(
      { spanId: random.hex(16), parentSpanId: spanId, ...workFields(work, random) },
      start + (durationMs * place) / CHILDREN,
      Math.min(random.around(work.medianMs), durationMs / CHILDREN),
    )
  );
  return [...children, server];
}

function serverAttributes({ httpMethod, route }: Endpoint, random: Random) {
  return attributes({
    "http.request.method": httpMethod,
    "http.route": route,
    "http.response.status_code": random.chance(0.02) ? 500 : 200,
    "url.path": route.replace(":id", String(random.below(100_000))),
    "url.scheme": "https",
    "server.address": "shop.example",
    "network.protocol.version": "1.1",
    "user_agent.original": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0",
  });
}

function workFields({ category, description }: Work, random: Random): Record<string, unknown> {
  if (category === "db") return { name: "pg.query:SELECT", kind: 3, attributes: db(description) };
  if (category === "http") {
    const id = String(random.below(10_000));
    const url = description.replace("GET ", "").replace("?", id);
    return { name: "GET", kind: 3, attributes: call(url, random) };
  }
  const name = { "code.function.name": "render", "code.file.path": "/app/src/render.js" };
  return { name: "render", kind: 1, attributes: attributes(name) };
}

function db(statement: string) {
  return attributes({
    "db.system.name": "postgresql",
    "db.namespace": "shop",
    "db.query.text": statement,
    "db.operation.name": statement.split(" ")[0],
    "server.address": "db.internal",
    "server.port": 5432,
    "network.peer.address": "10.0.0.7",
    "network.transport": "tcp",
  });
}

function call(url: string, random: Random) {
  return attributes({
    "http.request.method": "GET",
    "http.response.status_code": 200,
    "url.full": url,
    "server.address": new URL(url).hostname,
    "server.port": 443,
    "network.protocol.version": "1.1",
    "network.peer.address": "10.0.0.9",
    "http.response.body.size": random.below(50_000),
  });
}

function nanos(ms: number): string {
  return String(BigInt(Math.round(ms * 1000)) * 1000n);
}
