/** What stands around telemetry: addresses, heads, lengths, forms and compression, as no client sends them. */
import assert from "node:assert/strict";
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { openSigner } from "@/lib/accounts/secrets.ts";
import { pingToken } from "@/lib/monitors/cron/ping.ts";
import { type FamilyForm, toV1 } from "@/test/lib/formats/prometheus/to_protobuf.ts";
import { errorEnvelope } from "@/test/support/envelopes.ts";
import { ITEM_SAMPLES } from "@/test/support/fuzz/item_samples.ts";
import { type Bytes, joined, raw, varint } from "@/test/lib/formats/pprof/messages.ts";
import {
  assertAllAmong,
  chunks,
  newId,
  pagesAnswer,
  senders,
  type Sent,
  someAtOnce,
} from "@/test/support/hostile_senders.ts";
import { hostileUploads } from "@/test/support/hostile_uploads.ts";
import { FIELD_TEXTS, longText } from "@/test/support/hostile_values.ts";
import { pprofGzip } from "@/test/support/pprof.ts";
import { changedTexts } from "@/test/support/sample_body.ts";
import { AT } from "@/test/support/transferred.ts";

const encode = (text: string) => new TextEncoder().encode(text);
const PROTOBUF = "application/x-protobuf";

/** Every address that takes telemetry, with what it takes. */
interface Place {
  readonly path: string;
  readonly type: string;
  readonly body: Bytes;
  /** Parameters that it reads. */
  readonly names: readonly string[];
}

const sampleOf = (type: string) =>
  encode(JSON.stringify(ITEM_SAMPLES.find(({ header }) => header.type === type)?.payload));

/** @param ping `/ping/<token>` */
function placesOf({ projectId }: Sent, ping: string): readonly Place[] {
  const json = "application/json";
  const event = sampleOf("event");
  const report = sampleOf("raw_security");
  const auth = ["sentry_key", "sentry_version", "sentry_client", "sentry_timestamp"];
  const reported = [...auth, "sentry_release", "sentry_environment"];
  const job = [...auth, ...["status", "check_in_id", "environment", "release", "duration", "exit"]];
  const profiled = [
    ...["service", "environment", "release", "instance", "labels", "label.a", "from", "until"],
    ...["trace_id", "span_id", "transaction", "type"],
  ];
  const write = toV1([{ labels: { __name__: "up" }, samples: [{ value: 1, timeMs: AT * 1_000 }] }]);
  const otlp = (path: string) => ({ path, type: json, body: encode("{}"), names: [] });
  const pushed = ["name", "from", "until", "format", "sampleRate", "units", "spyName"];
  return [
    {
      path: `/api/${projectId}/envelope/`,
      type: "application/x-sentry-envelope",
      body: encode(errorEnvelope().body),
      names: auth,
    },
    { path: `/api/${projectId}/store/`, type: json, body: event, names: [...auth, "sentry_data"] },
    { path: "/api/store/", type: json, body: event, names: [...auth, "sentry_data"] },
    { path: `/api/${projectId}/security/`, type: json, body: report, names: reported },
    { path: `/api/${projectId}/nel/`, type: json, body: sampleOf("nel"), names: reported },
    { path: `/api/${projectId}/cron/job/`, type: json, body: sampleOf("check_in"), names: job },
    { path: ping, type: "text/plain", body: encode("done"), names: [...job, "body"] },
    { path: `/api/${projectId}/minidump/`, type: "", body: encode("MDMP"), names: auth },
    {
      path: `/api/${projectId}/unreal/${"0".repeat(32)}/`,
      type: "",
      body: encode("a"),
      names: auth,
    },
    { path: "/api/v1/profiles/pprof?service=a", type: "", body: pprofGzip(), names: profiled },
    { path: "/api/v1/write", type: PROTOBUF, body: write, names: [] },
    { path: "/ingest?name=a", type: "", body: encode("a 1"), names: pushed },
    { path: "/push.v1.PusherService/Push", type: "application/proto", body: encode(""), names: [] },
    ...["/v1/traces", "/v1/metrics", "/v1/logs", "/v1development/profiles"].map(otlp),
    { path: `/api/${projectId}/tunnel/`, type: json, body: event, names: auth },
    { path: `/hooks/${projectId}/1`, type: json, body: event, names: [] },
  ];
}

/** Deeper than anything that calls itself can go. */
const DEEP = [["[", "", "]"], ['{"a":[', "", "]}"], ['{"a":', "1", "}"]].map(
  ([open = "", inner = "", close = ""]) =>
    `{"a":${open.repeat(100_000)}${inner}${close.repeat(100_000)}}`,
);

/** JSON with another value in each of its places; none of what is no JSON. */
function jsonOf(body: Uint8Array): string[] {
  const text = new TextDecoder().decode(body);
  if (!/^[{[]/.test(text) || text.includes("\n")) return [];
  const parsed: unknown = JSON.parse(text);
  return FIELD_TEXTS.flatMap((value) => [...changedTexts(parsed, value)]);
}

/** The address of a monitor that a first check-in makes. */
async function pingAddress({ app, projectId, post }: Sent): Promise<string> {
  assert.equal(await post(`/api/${projectId}/cron/job/?status=ok`, ""), 202);
  const { kv, config, sql } = app.services;
  const [row] = await sql<{ nonce: string }[]>`
    select ping_nonce as nonce from monitors where project_id = ${projectId} and slug = 'job'
  `;
  const nonce = row?.nonce ?? "";
  return `/ping/${await pingToken(await openSigner(kv, config), {
    projectId,
    slug: "job",
    nonce,
  })}`;
}

const TEXTS = [
  ...["", "a\0b", "\ud800", "__proto__", "constructor", "9".repeat(25), "-1", "NaN", "1e400", "%"],
  ...["0000-01-01T00:00:00Z", "now-999999999d", longText(20_000), "a".repeat(300), "'\"<>\\"],
  ...["{}", "[]", "null", "\u202e\u0007\u001b[31m", "in_progress", "f".repeat(32), "=,="],
];
/** What a header may say: no more than these characters come through. */
const HEADERS = [
  ...["", "a\x80\xff", "__proto__", "9".repeat(25), "-1", "NaN", ",;=,\"'", "%00%ff%", "a/b;c=d;e"],
  ...["gzip, gzip", "snappy", "lz4", "identity", "x-gzip", "chunked", longText(60_000)],
  ...[
    "Bearer",
    "Bearer a b",
    "Basic Og==",
    "Basic /w==",
    "Sentry",
    "Sentry sentry_key=a,sentry_key",
  ],
  ...[
    "http://[",
    "null",
    "https://xn--a.example:99999",
    "*",
    "0.0.0.0,::1%0",
    "text/html;charset=x",
  ],
  ...["multipart/form-data", 'multipart/form-data; boundary="', "multipart/form-data; boundary=a"],
];
const HEADER_NAMES = [
  ...["authorization", "x-sentry-auth", "content-type", "content-encoding", "content-length"],
  ...[
    "user-agent",
    "origin",
    "referer",
    "x-forwarded-for",
    "x-real-ip",
    "accept",
    "accept-language",
  ],
  ...["accept-encoding", "traceparent", "baggage", "sentry-trace", "expect", "range", "if-match"],
  ...["x-prometheus-remote-write-version", "connect-protocol-version", "host", "cookie"],
];
const METHODS = ["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "POST"];
const PARTS = ["", "0", "-1", "9".repeat(30), "a", "%00", "%ff", "%", "..%2f", "x".repeat(3_000)];

Deno.test("whatever addresses and heads of requests say, it ends in no error of ours, and pages show what is stored", async (t) => {
  await using sent = await senders();
  const { key, send, post } = sent;
  const places = placesOf(sent, await pingAddress(sent));
  const bombs = encodings(new Uint8Array(40_000_000)).filter(([, { length }]) =>
    length < 4_000_000
  );
  const auth = { "x-sentry-auth": `Sentry sentry_key=${key}`, authorization: `Bearer ${key}` };
  for (const [turn, { path, type, body, names }] of places.entries()) {
    const heads = { ...auth, "content-type": type };
    const shape = path.split("/").slice(0, 5).join("/").replace(/(ping.).*/, "$1…");
    await t.step(`${shape}: parameters`, async () => {
      const status = await post(path, body, type);
      assert.ok(status < 300 || /hooks|tunnel/.test(path), `${status}`);
      for (const name of names) {
        const texts = TEXTS.map((text) => new URLSearchParams({ [name]: text }).toString());
        const queries = [...texts.flatMap((one) => [one, `${one}&${one}`]), `${name}=%ff%00`, name];
        await Promise.all(
          queries.map((query) =>
            post(`${path}${path.includes("?") ? "&" : "?"}${query}`, body, type)
          ),
        );
      }
    });
    await t.step(`${shape}: headers`, async () => {
      // What all have in common reads them: a third at each address.
      const values = HEADERS.filter((_, place) => place % 3 === turn % 3);
      for (const name of HEADER_NAMES) {
        await Promise.all(
          values.map((value) =>
            send(path, { method: "POST", headers: { ...heads, [name]: value }, body })
          ),
        );
      }
    });
    await t.step(`${shape}: methods and addresses`, async () => {
      for (const method of METHODS) {
        const has = method === "GET" || method === "HEAD" ? {} : { body };
        await send(path, { method, headers: heads, ...has });
        await send(path, { method, headers: {}, ...has });
      }
      for (const [place, part] of path.split("/").entries()) {
        if (part === "") continue;
        for (const other of PARTS) {
          await post(path.split("/").with(place, other).join("/"), body, type);
        }
      }
    });
    await t.step(`${shape}: bodies`, async () => {
      const cut = Array.from({ length: 200 }, (_, at) => body.slice(0, at * body.length / 200));
      await sent.postAll(path, [...cut, ...flipped(body, 50), ...DEEP, ...jsonOf(body)], type);
      for (const [encoding, packed] of [...encodings(body), ...bombs]) {
        const damaged = [packed, packed.slice(0, -3), body];
        if (packed.length < 10_000) damaged.push(joined(packed, packed), ...flipped(packed, 5));
        const headers = { "content-encoding": encoding };
        await Promise.all(damaged.map((each) => post(path, each, type, headers)));
      }
    });
  }
  await t.step("pages", () => pagesAnswer(sent));
});

function encodings(body: Uint8Array): readonly (readonly [string, Bytes])[] {
  const made: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
    ...{ gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync, zstd: zstdCompressSync },
    snappy,
  };
  return Object.entries(made).map(([name, make]) => [name, new Uint8Array(make(body))]);
}

/** A block that says the same over and over where that can be. */
function snappy(bytes: Uint8Array): Bytes {
  const isAlike = bytes.length > 64 && bytes.every((byte) => byte === bytes[0]);
  if (!isAlike) {
    const size = new Uint8Array(Uint32Array.of(Math.max(0, bytes.length - 1)).buffer);
    return joined(
      varint(bytes.length),
      bytes.length > 0 ? Uint8Array.of(63 << 2) : size.slice(4),
      size.slice(0, bytes.length > 0 ? 4 : 0),
      bytes,
    );
  }
  // A literal byte, and copies of 64 from one behind.
  const copies = Math.floor((bytes.length - 1) / 64);
  const copy = Uint8Array.from({ length: 3 * copies }, (_, at) => [63 << 2 | 2, 1, 0][at % 3] ?? 0);
  return joined(varint(1 + 64 * copies), Uint8Array.of(0), bytes.slice(0, 1), copy);
}

/** With some bytes of it changed: the same ones every time. */
function flipped(bytes: Uint8Array, count: number): Bytes[] {
  let seed = 7;
  const next = () => seed = (seed * 48_271) % 2_147_483_647;
  return Array.from({ length: bytes.length === 0 ? 0 : count }, () => {
    const changed = new Uint8Array(bytes);
    for (let change = 0; change < 3; change++) changed[next() % bytes.length] = next() % 256;
    return changed;
  });
}

/** Blocks of snappy that lie. */
const BLOCKS: Readonly<Record<string, Bytes>> = {
  "4 GB": joined(varint(2 ** 32 - 1), encode("abc")),
  "2^63": joined(varint(2n ** 63n), encode("abc")),
  "no end of a length": new Uint8Array(12).fill(0xff),
  "nothing of ten": varint(10) as Bytes,
  "more than it says": joined(varint(1), Uint8Array.of(2 << 2), encode("abc")),
  "less than it says": joined(varint(9), Uint8Array.of(2 << 2), encode("abc")),
  "a copy from before": joined(varint(4), Uint8Array.of(3 << 2 | 2, 9, 0)),
  "a copy from nowhere": joined(varint(5), Uint8Array.of(0, 97, 3 << 2 | 2, 0, 0)),
  "a copy without a place": joined(varint(5), Uint8Array.of(0, 97, 3 << 2 | 2)),
  "a literal of 4 GB": joined(varint(9), Uint8Array.of(63 << 2, 255, 255, 255, 255, 97)),
  "a stream": joined(Uint8Array.of(255, 6, 0, 0), encode("sNaPpY")),
};

Deno.test("whatever remote write says in snappy, labels and samples, it ends in no error of ours", async (t) => {
  await using sent = await senders();
  const post = (body: Bytes) =>
    sent.post("/api/v1/write", body, PROTOBUF, { "content-encoding": "snappy" });
  for (const [name, block] of Object.entries(BLOCKS)) {
    await t.step(`a block of ${name}`, async () => {
      assert.ok([400, 413].includes(await post(block)));
    });
  }
  await t.step("labels", async () => {
    const NAMES = [...TEXTS, "__name__", "job", "le", "b", "a", "__meta", "service", "environment"];
    const series = NAMES.flatMap((name) =>
      TEXTS.map((value) => ({
        labels: [["z", "1"], ["__name__", "up"], [name, value], ["a", "1"], [name, "2"]],
      }))
    );
    for (const some of chunks(series, 40)) await post(snappy(written(some)));
    const many = Array.from({ length: 10_000 }, (_, index) => [`l${index}`, "v"]);
    for (const labels of [[], [["a", "b"]], [["__name__", ""]], [["__name__", "a\0b"]], many]) {
      await post(snappy(written([{ labels }])));
    }
    await post(snappy(written([{ labels: [["__name__", "up"], ["a", longText(900_000)]] }])));
  });
  await t.step("samples", async () => {
    const now = AT * 1_000;
    const labels = { __name__: "up" };
    const values = ["stale", NaN, Infinity, -Infinity, -0, 1e308, 5e-324] as const;
    const times = [0, -1, -(2 ** 53), 2 ** 53, 253_402_300_799_000, now - 9e10, now + 9e8, now];
    for (const value of values) {
      for (const timeMs of times) {
        await post(snappy(toV1([{ labels, samples: [{ value, timeMs }, { value: 1, timeMs }] }])));
      }
    }
    const samples = Array.from({ length: 30_000 }, (_, at) => ({ value: at, timeMs: now - at }));
    await post(snappy(toV1([{ labels, samples }])));
  });
  await t.step("families", async () => {
    for (const name of TEXTS) {
      const family: FamilyForm = { type: 99, name, help: name, unit: name };
      const labels = { __name__: name };
      const samples = [{ value: 1, timeMs: AT * 1_000 }];
      await post(snappy(toV1([{ labels, samples }], [family, family])));
    }
  });
  await t.step("pages", () => pagesAnswer(sent));
});

interface Written {
  readonly labels: readonly (readonly string[])[];
}

/** Series of remote write 1.0 with labels in any order, and any number of times. */
function written(series: readonly Written[]): Bytes {
  const text = (number: number, value = "") => raw(number, encode(value));
  const sample = raw(
    2,
    joined(
      Uint8Array.of(9),
      new Uint8Array(Float64Array.of(1).buffer),
      Uint8Array.of(16),
      varint(AT * 1_000),
    ),
  );
  return joined(
    ...series.map(({ labels }) =>
      raw(
        1,
        joined(
          ...labels.map(([name, value]) => raw(1, joined(text(1, name), text(2, value)))),
          sample,
        ),
      )
    ),
  );
}

const LENGTHS = [0, 1, -1, 2 ** 31, 2 ** 53, 1e300, 1.5, null, "5", [], {}, true];
/** Stands for that of the project. */
const OTHER_KEY = "0123456789abcdef";
const HEADER = {
  event_id: "9ec79c33ec9942ab8353589fcb2e04dc",
  sent_at: "2026-11-20T00:00:00Z",
  dsn: `https://${OTHER_KEY}@host.example/1`,
  sdk: { name: "sentry.javascript.node", version: "9", packages: [{ name: "a", version: "1" }] },
  trace: { trace_id: "4c79f60c11214eb38604f4ae0781bfb2", public_key: "a", sample_rate: "0.5" },
};
const FILES = [
  ...["a.txt", "../../etc/passwd", "a\0b", "\ud800", "", "CON", "a\r\nb: c", "x".repeat(5_000)],
  ...["\u202etxt.exe", "a.html", "a.svg", "__proto__", "."],
];
const CONTENT_TYPES = ["text/html", "", "a\0/b", "image/svg+xml", longText(500)];
const FILE_TYPES = [
  "event.attachment",
  "event.view_hierarchy",
  "event.minidump",
  "__proto__",
  "a\0",
];

Deno.test("whatever envelopes, their files and their forms say, it ends in no error of ours, and good items are stored", async (t) => {
  await using sent = await senders();
  const { projectId, post } = sent;
  const path = `/api/${projectId}/envelope/`;
  const event = (id: string) => JSON.stringify({ event_id: id, message: "Good", timestamp: AT });
  await t.step("headers", async () => {
    for (const value of [...FIELD_TEXTS, JSON.stringify(longText(90_000))]) {
      await someAtOnce([...changedTexts(HEADER, value)].slice(1), async (header) => {
        const id = newId();
        const text = header.replace(HEADER.event_id, id).replace(OTHER_KEY, sent.key);
        const status = await post(path, `${text}\n{"type":"event"}\n${event(id)}`, "");
        assert.equal(status, value === "NaN" ? status : 200, text.slice(0, 300));
      });
    }
  });
  await t.step("lengths", async () => {
    for (const length of LENGTHS) {
      for (
        const type of ["event", "attachment", "log", "hologram", "profile", "replay_recording"]
      ) {
        const id = newId();
        sent.good.push(id);
        const head = JSON.stringify({ event_id: id });
        const lies = JSON.stringify({ type, length, item_count: length, filename: "a" });
        await post(path, `${head}\n{"type":"event"}\n${event(id)}\n${lies}\nabc\n`, "");
      }
    }
  });
  await t.step("files", async () => {
    for (const filename of FILES) {
      const kinds = FILE_TYPES.flatMap((attachment_type) =>
        CONTENT_TYPES.map((content_type) => ({ attachment_type, content_type }))
      );
      await someAtOnce(kinds, async (kind) => {
        const id = newId();
        sent.good.push(id);
        const file = JSON.stringify({ type: "attachment", length: 3, filename, ...kind });
        const head = JSON.stringify({ event_id: id });
        await post(path, `${head}\n{"type":"event"}\n${event(id)}\n${file}\nabc\n`, "");
      });
    }
  });
  await t.step("what is beside it", async () => {
    assertAllAmong(
      sent,
      await sent.app.services.sql<{ id: string }[]>`
        select replace(event_id::text, '-', '') as id from events where project_id = ${projectId}
      `,
    );
  });
  await t.step("crashes", async () => {
    for (const address of ["minidump", `unreal/${sent.key}`]) {
      for (const { type, body } of hostileUploads("upload_file_minidump")) {
        await post(`/api/${projectId}/${address}/`, body, type);
      }
    }
  });
  await t.step("pages", () => pagesAnswer(sent));
});
