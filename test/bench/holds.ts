/**
 * How long one large request holds up everybody else on its isolate: the longest turn of the event loop from its arrival to its
 * answer, on embedded stores and a warm process. Run with `deno run -A test/bench/holds.ts`.
 */
import process from "node:process";
import {
  attribute,
  logs,
  metrics,
  nanosAt,
  serverSpan,
  traces,
} from "../lib/formats/otlp/otlp_samples.ts";
import {
  logsToProtobuf,
  metricsToProtobuf,
  tracesToProtobuf,
} from "../lib/formats/otlp/otlp_to_protobuf.ts";
import { testIntake } from "../support/test_intake.ts";
import { envelopeRest } from "./payloads.ts";

const WARM_UP = 4;
const RUNS = 12;
/** Spans of one trace. */
const TRACE = 32;
const PROTOBUF = "application/x-protobuf";
const JSON_TYPE = "application/json";
/** The samples' own time is long ago. */
const AGO_MS = Date.now() - Number(nanosAt(0)) / 1e6 - 60_000;

type Body = Uint8Array<ArrayBuffer>;

const hex = (length: number) => crypto.getRandomValues(new Uint8Array(length / 2)).toHex();
const range = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index));
const json = (value: unknown): Body => new TextEncoder().encode(JSON.stringify(value));

function spans(count: number) {
  let traceId = "";
  return traces(range(count, (index) => {
    const isRoot = index % TRACE === 0;
    if (isRoot) traceId = hex(32);
    return serverSpan({
      traceId,
      spanId: hex(16),
      startTimeUnixNano: nanosAt(AGO_MS),
      endTimeUnixNano: nanosAt(AGO_MS + index % 100),
      ...(!isRoot && { parentSpanId: hex(16), kind: 1, name: `step ${index % 40}` }),
    });
  }));
}

function logRecords(count: number) {
  return logs(range(count, (index) => ({
    timeUnixNano: nanosAt(AGO_MS),
    severityNumber: 9,
    body: { stringValue: `Order ${hex(8)} of ${index} took longer than somebody expected` },
    attributes: [attribute("order", index)],
    traceId: hex(32),
  })));
}

function gauges(count: number) {
  return metrics([{
    name: "memory",
    unit: "By",
    gauge: {
      dataPoints: range(count, (index) => ({
        timeUnixNano: nanosAt(AGO_MS),
        asDouble: Math.random(),
        attributes: [attribute("route", `/orders/${index}`), attribute("pod", index % 50)],
      })),
    },
  }]);
}

function error(bytes: number): Body {
  const head = JSON.stringify({ event_id: hex(32) });
  return new TextEncoder().encode(`${head}\n${envelopeRest(1, bytes)}\n`);
}

/** What is sent where; null: to the project's envelopes. */
const REQUESTS: Readonly<Record<string, readonly [path: string | null, type: string, () => Body]>> =
  {
    "2,048 spans in protobuf": ["/v1/traces", PROTOBUF, () => tracesToProtobuf(spans(2_048))],
    "8,192 spans in protobuf": ["/v1/traces", PROTOBUF, () => tracesToProtobuf(spans(8_192))],
    "2,048 spans in JSON": ["/v1/traces", JSON_TYPE, () => json(spans(2_048))],
    "2,048 logs in protobuf": ["/v1/logs", PROTOBUF, () => logsToProtobuf(logRecords(2_048))],
    "16,384 logs in protobuf": ["/v1/logs", PROTOBUF, () => logsToProtobuf(logRecords(16_384))],
    "2,048 points in protobuf": ["/v1/metrics", PROTOBUF, () => metricsToProtobuf(gauges(2_048))],
    "8,192 points in protobuf": ["/v1/metrics", PROTOBUF, () => metricsToProtobuf(gauges(8_192))],
    "8,192 points in JSON": ["/v1/metrics", JSON_TYPE, () => json(gauges(8_192))],
    "an error of 200 KB": [null, JSON_TYPE, () => error(200_000)],
    "an error of 900 KB": [null, JSON_TYPE, () => error(900_000)],
  };

await using intake = await testIntake({
  ingestRatePerSec: 1_000_000,
  maxEventBytes: 20_000_000,
});

/** The longest turn of the event loop until then, in ms. */
async function longestTurn(until: Promise<unknown>): Promise<number> {
  let [longest, last] = [0, performance.now()];
  const look = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const timer = setInterval(look, 0);
  await until;
  look();
  clearInterval(timer);
  return longest;
}

for (const [name, [path, type, make]] of Object.entries(REQUESTS)) {
  const headers = {
    ...intake.auth,
    authorization: `Bearer ${intake.serverKey}`,
    "content-type": type,
  };
  // All of them before: what is left of making one would be collected while the next one is stored.
  const bodies = range(WARM_UP + RUNS, make);
  const turns: number[] = [];
  let used = 0;
  for (const [run, body] of bodies.entries()) {
    const before = process.cpuUsage();
    const sent = intake.send(path ?? intake.path, { method: "POST", headers, body });
    const turn = await longestTurn(sent);
    const answer = await sent;
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`${name}: ${answer.status} ${text}`);
    const { user, system } = process.cpuUsage(before);
    if (run < WARM_UP) continue;
    turns.push(turn);
    used += (user + system) / 1_000;
  }
  turns.sort((one, other) => one - other);
  const [least = NaN, median = NaN] = [turns[0], turns[RUNS >> 1]];
  const size = Math.round((bodies[0]?.length ?? 0) / 1_000);
  const cores = `${(used / RUNS).toFixed(0)} ms of all cores`;
  console.log(`${name}, ${size} KB: ${median.toFixed(0)} ms (least ${least.toFixed(0)}), ${cores}`);
}
