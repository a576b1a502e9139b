import type { Span, SpanBatch, Transaction } from "@/lib/records/mod.ts";
import { entrySpan, makeSpans } from "./make_spans.ts";
import type { Random } from "./random.ts";
import { BROWSERS, COUNTRIES, type Endpoint, ENDPOINTS, RELEASES } from "./shop.ts";

/** What a visit to the shop leaves. */
export interface MadeTrace {
  readonly transactions: readonly Transaction[];
  readonly batches: readonly SpanBatch[];
}

const FAILING = 0.02;
const STAGING = 0.1;
/** Two of five traces begin in a browser, the others with a client of the API; some reach the checkout. */
const FROM_BROWSER = 0.4;
const REACHES_API = 0.6;
const REACHES_CHECKOUT = 0.25;
const USERS = 20_000;
/** On average. */
export const TRANSACTIONS_A_TRACE = FROM_BROWSER +
  (1 - FROM_BROWSER + FROM_BROWSER * REACHES_API) * (1 + REACHES_CHECKOUT);

/** A visit as a whole. */
interface Visit {
  readonly random: Random;
  readonly traceId: string;
  readonly environment: string;
  readonly release: string;
  readonly user: string | null;
}

/**
 * Makes a trace of one to three services.
 *
 * @param start in milliseconds since 1970
 * @param age 0 to 1: where in the time of all releases this is
 */
export function makeTrace(random: Random, start: number, age: number): MadeTrace {
  const visit: Visit = {
    random,
    traceId: random.hex(32),
    environment: random.chance(STAGING) ? "staging" : "production",
    release: releaseAt(random, age),
    user: random.chance(0.7) ? `id:${random.below(USERS)}` : null,
  };
  const transactions: Transaction[] = [];
  const batches: SpanBatch[] = [];
  const add = (service: Endpoint["service"], parent: Transaction | null) => {
    const made = makeTransaction(visit, random.pickRanked(ENDPOINTS[service]), start, parent);
    transactions.push(made.transaction);
    batches.push(made.batch);
    return made.transaction;
  };
  const page = random.chance(FROM_BROWSER) ? add("web", null) : null;
  if (page !== null && !random.chance(REACHES_API)) return { transactions, batches };
  const request = add("api", page);
  if (random.chance(REACHES_CHECKOUT)) add("checkout", request);
  return { transactions, batches };
}

/** The newest release, for a while still the one before. */
function releaseAt(random: Random, age: number): string {
  const place = age * RELEASES.length;
  const isOlder = random.share() > (place % 1) * 4;
  return RELEASES[Math.max(0, Math.floor(place) - (isOlder ? 1 : 0))] ?? "";
}

function makeTransaction(
  visit: Visit,
  endpoint: Endpoint,
  start: number,
  parent: Transaction | null,
): { transaction: Transaction; batch: SpanBatch } {
  const { random } = visit;
  const isFailed = random.chance(FAILING);
  const durationMs = Math.round(random.around(endpoint.medianMs) * 1000) / 1000;
  const isOtlp = endpoint.service === "checkout";
  const isWeb = endpoint.service === "web";
  const timestamp = new Date(start + durationMs);
  const transaction: Transaction = {
    kind: "transaction",
    timestamp,
    receivedAt: timestamp,
    environment: visit.environment,
    release: visit.release,
    eventId: random.hex(32),
    sentAs: isOtlp ? "entry" : "transaction",
    traceId: visit.traceId,
    spanId: random.hex(16),
    parentSpanId: parent?.spanId ?? null,
    startedAt: new Date(start),
    durationMs,
    name: endpoint.name,
    source: "route",
    op: endpoint.op,
    status: isFailed ? "internal_error" : "ok",
    isFailed,
    httpMethod: endpoint.httpMethod,
    httpStatus: isWeb ? null : isFailed ? 500 : random.chance(0.05) ? 404 : 200,
    route: endpoint.route,
    service: endpoint.service,
    platform: isWeb ? "javascript" : isOtlp ? "java" : "node",
    dist: "",
    user: visit.user,
    tags: isWeb ? clientTags(random) : [["server_name", `${endpoint.service}-${random.below(8)}`]],
    sdk: isOtlp ? "opentelemetry/1.40.0" : "sentry.javascript/10.0.0",
    measurements: isWeb ? vitals(random, durationMs) : [],
    clientSampleRate: 1,
    serverSampleRate: 1,
    profileId: null,
    profilerId: null,
    payload: isOtlp ? "" : payloadOf(endpoint, visit),
  };
  const spans = makeSpans(random, transaction, endpoint.works);
  if (isOtlp) spans.unshift(entrySpan(transaction));
  return { transaction, batch: batchOf(transaction, spans, random) };
}

function clientTags(random: Random): [string, string][] {
  return [
    ["browser.name", random.pickRanked(BROWSERS)],
    ["device.class", random.chance(0.4) ? "mobile" : "desktop"],
    ["user.geo.country_code", random.pickRanked(COUNTRIES)],
  ];
}

function vitals(random: Random, durationMs: number): Transaction["measurements"] {
  const ms = (name: string, value: number) => ({ name, value, unit: "millisecond" });
  return [
    ms("lcp", random.around(durationMs * 1.5)),
    ms("fcp", random.around(durationMs)),
    ms("ttfb", random.around(durationMs / 4)),
    ms("inp", random.around(120)),
    { name: "cls", value: random.around(0.05), unit: "" },
  ];
}

function batchOf(entry: Transaction, spans: readonly Span[], random: Random): SpanBatch {
  const { timestamp, receivedAt, environment, release, traceId, service, platform, sdk } = entry;
  return {
    kind: "spans",
    timestamp: entry.startedAt < timestamp ? entry.startedAt : timestamp,
    receivedAt,
    environment,
    release,
    batchId: random.hex(32),
    traceId,
    transaction: entry.name,
    service,
    platform,
    sdk,
    resource: entry.sentAs === "entry" ? { "host.name": `host-${service}` } : {},
    clientSampleRate: 1,
    serverSampleRate: 1,
    spans,
  };
}

function payloadOf({ op, name }: Endpoint, { traceId, user, release }: Visit): string {
  return JSON.stringify({
    transaction: name,
    release,
    platform: "node",
    user: user === null ? {} : { id: user.slice(3) },
    contexts: {
      trace: { trace_id: traceId, op, origin: "auto.http.otel.http", data: { "sentry.op": op } },
      runtime: { name: "node", version: "v24.0.0" },
      os: { name: "Linux", version: "6.1.0", build: "Debian 12" },
      device: { arch: "x64", memory_size: 16_000_000_000, processor_count: 8 },
    },
    request: { method: "GET", url: `https://shop.example${name}` },
    sdk: { name: "sentry.javascript.node", version: "10.0.0" },
  });
}
