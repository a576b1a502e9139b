/** Broken requests: framing, lengths, encodings, item types and JSON shapes that clients should not send. */
import {
  brotliCompressSync,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from "node:zlib";
import fc from "fast-check";
import { ITEM_SAMPLES } from "./item_samples.ts";
import { mutate, mutation } from "./mutate.ts";

const encode = (text: string) => new TextEncoder().encode(text);

const oddText = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom(
    "",
    "\0",
    "\ud800",
    "\udfff\ud800",
    "null",
    "__proto__",
    "constructor",
    "{{auto}}",
  ),
  fc.constantFrom("0001-01-01T00:00:00Z", "9999-12-31", "1e400", "-1", "NaN", "12", "\u001b[31m"),
);
const oddValue = fc.oneof(
  oddText,
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom(null, [], {}, [null], [[]], 0, -1, 1e300, 1e-300, true, false),
  fc.constantFrom({ values: null }, { values: [null] }, { values: {} }, { frames: [null, {}] }),
);

const EVENT_FIELDS = [
  ..."event_id type timestamp start_timestamp platform level logger transaction server_name release"
    .split(" "),
  ..."dist environment message logentry exception stacktrace threads breadcrumbs tags user".split(
    " ",
  ),
  ..."request contexts extra fingerprint checksum modules sdk debug_meta errors csp".split(" "),
  ..."spans measurements _meta __proto__ constructor sentry.interfaces.Exception".split(" "),
];
const frame = fc.dictionary(
  fc.constantFrom(
    "function",
    "filename",
    "lineno",
    "vars",
    "in_app",
    "context_line",
    "pre_context",
  ),
  oddValue,
);
const exception = fc.record({
  type: oddValue,
  value: oddValue,
  mechanism: oddValue,
  stacktrace: fc.oneof(oddValue, fc.record({ frames: fc.array(fc.oneof(frame, oddValue)) })),
}, { requiredKeys: [] });
const event = fc.tuple(
  fc.dictionary(fc.constantFrom(...EVENT_FIELDS), oddValue),
  fc.option(fc.record({ exception: fc.record({ values: fc.array(exception, { maxLength: 3 }) }) })),
).map(([fields, more]) => ({ ...fields, ...more }));

const header = fc.dictionary(
  fc.constantFrom("event_id", "dsn", "sent_at", "sdk", "trace", "__proto__", "x"),
  oddValue,
);
const itemHeader = fc.oneof(
  fc.constantFrom({ type: "event" }, { type: "event", content_type: "application/json" }),
  fc.dictionary(fc.constantFrom("type", "length", "item_count", "content_type"), oddValue),
  fc.record({ type: fc.constantFrom("event", "session", "log", "x"), length: fc.integer() }),
);
/** Any kind of item, as SDKs send it but for a few changes. */
export const changedItem = fc.tuple(
  fc.constantFrom(...ITEM_SAMPLES),
  fc.array(mutation, { maxLength: 4 }),
  fc.option(mutation),
).map(([sample, changes, headerChange]) => {
  const { header, payload } = structuredClone(sample);
  for (const change of changes) mutate(payload, change);
  if (headerChange !== null) mutate(header, headerChange);
  return [JSON.stringify(header), JSON.stringify(payload)];
});
const line = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.oneof(event, itemHeader, header).map((value) => JSON.stringify(value)),
  },
  {
    weight: 1,
    arbitrary: fc.oneof(oddText, fc.constantFrom("", "{", "NaN", '{"a":Infinity}', "\r")),
  },
);
const envelope = fc.tuple(
  fc.oneof({ weight: 5, arbitrary: header.map((value) => JSON.stringify(value)) }, line),
  fc.array(
    fc.oneof(
      { weight: 2, arbitrary: changedItem },
      fc.tuple(fc.oneof(itemHeader.map((value) => JSON.stringify(value)), line), line),
    ),
    { maxLength: 4 },
  ),
  fc.constantFrom("\n", "\n", "\n", "\r\n", "\n\n"),
).map(([first, items, separator]) => encode([first, ...items.flat()].join(separator)));

/** Bytes with some of them changed, lost or added. */
const damaged = (bytes: fc.Arbitrary<Uint8Array>) =>
  fc.tuple(
    bytes,
    fc.array(fc.tuple(fc.nat(), fc.nat(255), fc.constantFrom(0, 1, 2)), { maxLength: 3 }),
  )
    .map(([whole, changes]) => {
      const result = [...whole];
      for (const [at, byte, kind] of changes) {
        const added = kind === 0 ? [] : [byte];
        result.splice(at % (result.length + 1), kind === 2 ? 0 : 1, ...added);
      }
      return new Uint8Array(result);
    });

const ENCODERS: Record<string, (bytes: Uint8Array) => Uint8Array> = {
  "": (bytes) => bytes,
  gzip: gzipSync,
  deflate: (bytes) => bytes.length % 2 === 0 ? deflateSync(bytes) : deflateRawSync(bytes),
  br: brotliCompressSync,
  zstd: zstdCompressSync,
};
const encodingName = fc.constantFrom("", "", "", ...Object.keys(ENCODERS), "lz4");
/** A body as sent, and what its header says of its encoding. */
export const brokenRequest = fc.tuple(encodingName, fc.boolean(), fc.boolean()).chain(
  ([name, isDamaged, isLie]) => {
    const encoder = ENCODERS[isLie ? "" : name] ?? ((bytes: Uint8Array) => bytes);
    const body = envelope.map((bytes) => new Uint8Array(encoder(bytes)));
    return fc.record({ name: fc.constant(name), body: isDamaged ? damaged(body) : body });
  },
);
