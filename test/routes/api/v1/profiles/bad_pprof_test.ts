import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { PprofBuilder } from "@/lib/formats/pprof/encode.ts";
import { pprofBytes, pprofGzip } from "@/test/support/pprof.ts";
import { type TestIntake, testIntake } from "@/test/support/test_intake.ts";
import { inTimeAsync } from "@/test/support/time_budget.ts";

const PATH = "/api/v1/profiles/pprof?service=shop&environment=production";
/** What the reading of a bad body may take on the machine that the budgets were set on. */
const BUDGET_MS = 100;

interface Answer {
  readonly status: number;
  readonly detail: string;
}

async function upload(
  { send, serverKey }: TestIntake,
  body: Uint8Array<ArrayBuffer>,
  path = PATH,
): Promise<Answer> {
  const response = await send(path, {
    method: "POST",
    body,
    headers: { authorization: `Bearer ${serverKey}` },
  });
  const { detail = "" } = await response.json();
  return { status: response.status, detail };
}

/** The answer to a bad body, which comes at once. */
function quickly(intake: TestIntake, body: Uint8Array<ArrayBuffer>, what = "it"): Promise<Answer> {
  return inTimeAsync(BUDGET_MS, () => upload(intake, body), what);
}

async function assertNothingStored({ services: { sql, objects } }: TestIntake): Promise<void> {
  const [row] = await sql`
    select (select count(*)::int from profiles) as profiles,
      (select count(*)::int from profile_traces) as traces
  `;
  assert.deepEqual({ ...row }, { profiles: 0, traces: 0 });
  assert.deepEqual(await Array.fromAsync(objects.list("profiles/")), []);
}

const text = (content: string) => new TextEncoder().encode(content);
const gzip = (bytes: Uint8Array) => new Uint8Array(gzipSync(bytes));
/** A field of the outer message. */
const field = (
  number: number,
  ...content: number[]
) => [number << 3 | 2, content.length, ...content];

/** One profile of a sample type, a sample, a location, a function and two strings, with parts changed. */
function message(parts: Partial<Record<"type" | "sample" | "location" | "function", number[]>>) {
  return new Uint8Array([
    ...field(1, ...parts.type ?? [8, 1, 16, 1]),
    ...field(2, ...parts.sample ?? [8, 1, 16, 5]),
    ...field(4, ...parts.location ?? [8, 1, 34, 2, 8, 1]),
    ...field(5, ...parts.function ?? [8, 1, 16, 1]),
    ...field(6),
    ...field(6, 120),
  ]);
}

const BAD: readonly (readonly [what: string, body: Uint8Array<ArrayBuffer>, says: RegExp])[] = [
  ["nothing", new Uint8Array(), /empty/],
  ["an empty gzip", gzip(new Uint8Array()), /empty/],
  ["JSON", text('{"profiles":[]}'), /JSON/],
  ["HTML", text("<!doctype html><p>404"), /HTML/],
  ["text of Go", text("goroutine profile: total 5\n1 @ 0x1 0x2\n"), /debug/],
  ["a legacy profile", new Uint8Array([0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0]), /legacy/],
  ["zstd", new Uint8Array([0x28, 0xb5, 0x2f, 0xfd, 0, 0, 0, 0]), /zstd/],
  ["random bytes", crypto.getRandomValues(new Uint8Array(2_000)), /./],
  ["a type out of range", message({ type: [8, 9, 16, 1] }), /9/],
  ["a negative string", message({ type: [8, ...Array(9).fill(0xff), 1, 16, 1] }), /string/],
  ["a dangling location", message({ sample: [8, 99, 16, 5] }), /99/],
  ["too many values", message({ sample: [8, 1, 16, 5, 16, 5] }), /value/],
  ["a location without function", message({ location: [8, 1, 34, 2, 8, 77] }), /77/],
  ["two profiles in a row", new Uint8Array([...pprofBytes(), ...pprofBytes()]), /two|twice/],
  ["no sample type", pprofBytes([], { sampleTypes: [] }), /sample type/],
  ["20 KB of empty messages", gzip(bomb(10_000_000)), /100-fold/],
  ["empty messages", bomb(450_000), /more than 200,000 samples/],
  ["a hundredfold compression", gzip(new Uint8Array(30_000_000)), /./],
];

function bomb(messages: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(2 * messages);
  for (let index = 0; index < bytes.length; index += 2) bytes[index] = 0x12;
  return bytes;
}

Deno.test("bodies that are no profile are refused with what is wrong, at once, and nothing is stored", async () => {
  await using intake = await testIntake();
  await upload(intake, text("{}"));
  for (const [what, body, says] of BAD) {
    const { status, detail } = await quickly(intake, body, what);
    assert.ok(status === 400 || status === 413, `${what}: ${status} ${detail}`);
    assert.match(detail, says, what);
  }
  await assertNothingStored(intake);
});

Deno.test("a million samples are too many", async () => {
  await using intake = await testIntake({ maxEventBytes: 50_000_000 });
  const builder = new PprofBuilder({
    sampleTypes: [{ type: "samples", unit: "count" }],
    timeNanos: 0n,
    durationNanos: 0n,
  });
  const location = builder.location([
    { function: builder.function("a", ""), line: 1, column: 0 },
  ], {});
  const values = crypto.getRandomValues(new BigInt64Array(8_192));
  for (let index = 0; index < 1_000_000; index++) {
    builder.sample([location], [values[index % values.length] ?? 0n]);
  }
  const body = gzip(builder.toBytes());
  const { status, detail } = await quickly(intake, body);
  assert.equal(status, 413);
  assert.match(detail, /samples/);
  await assertNothingStored(intake);
});

Deno.test("bodies over the limit are refused whole, compressed or not", async () => {
  await using intake = await testIntake();
  const noise = new Uint8Array(8 * 1024 * 1024 + 1);
  for (let at = 0; at < noise.length; at += 65_536) {
    crypto.getRandomValues(noise.subarray(at, at + 65_536));
  }
  for (const body of [noise, gzip(noise)]) assert.equal((await upload(intake, body)).status, 413);
  const bombs = gzip(new Uint8Array(500_000_000));
  const before = Deno.memoryUsage().rss;
  const { status } = await quickly(intake, bombs);
  assert.ok(status === 413 || status === 400, String(status));
  assert.ok(Deno.memoryUsage().rss - before < 200_000_000);
  await assertNothingStored(intake);
});

Deno.test("a profile that ends early is refused wherever it ends", async () => {
  await using intake = await testIntake({ ingestRatePerSec: 100_000 });
  const body = pprofGzip();
  for (let length = 0; length < body.length; length++) {
    const { status } = await upload(intake, body.slice(0, length));
    assert.equal(status, 400, `${length} of ${body.length} bytes`);
  }
  await assertNothingStored(intake);
});

Deno.test("parameters that make no sense are refused by name", async () => {
  await using intake = await testIntake();
  const cases: readonly (readonly [query: string, name: string])[] = [
    ["", "service"],
    ["?service=%20", "service"],
    ["?service=a&trace_id=xyz", "trace_id"],
    ["?service=a&trace_id=00000000000000000000000000000000", "trace_id"],
    ["?service=a&span_id=12", "span_id"],
    ["?service=a&from=yesterday", "from"],
    ["?service=a&until=never", "until"],
    ["?service=a&from=200000000&until=100000000", "until"],
    ["?service=a&labels=novalue", "labels"],
  ];
  for (const [query, name] of cases) {
    const { status, detail } = await upload(intake, pprofGzip(), `/api/v1/profiles/pprof${query}`);
    assert.equal(status, 400, query);
    assert.match(detail, new RegExp(`^The parameter ${name} `), query);
  }
  await assertNothingStored(intake);
  await intake.outcomes({ "invalid/bad_parameter": cases.length });
});

Deno.test("names in any writing may stand in a refusal", async () => {
  await using intake = await testIntake();
  const query = `?service=a&labels=${encodeURIComponent("日本語")}`;
  const { status, detail } = await upload(intake, pprofGzip(), `/api/v1/profiles/pprof${query}`);
  assert.equal(status, 400);
  assert.match(detail, /"\?\?\?"/);
});
