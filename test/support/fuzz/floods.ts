/** Requests that unfold: one small unit over and over, in every place of every format where there may be many. */
import fc from "fast-check";

/** What is sent, by which protocol. */
export interface Flood {
  /** Says what it is in a failure. */
  readonly name: string;
  /** Of `lib/intake/protocols.ts`. */
  readonly protocol: string;
  readonly contentType: string;
  /** Made when it is asked for: it has twelve megabytes. */
  readonly body: () => Uint8Array;
}

/** As much as is let in, unpacked; and what may be just below a limit of numbers. */
const SIZE = 11_900_000;
const SIZES = [SIZE, SIZE / 2, SIZE / 4, SIZE / 9, SIZE / 16, SIZE / 30] as const;
const NOW = Math.floor(Date.now() / 1000);
const ID = "4c79f60c11214eb38604f4ae0781bfb2";
const PROTOBUF = "application/x-protobuf";
const JSON_TYPE = "application/json";

const FORM_PART = '--a\r\ncontent-disposition: form-data; name="a"\r\n\r\n\r\n';

const encode = (text: string) => new TextEncoder().encode(text);

/** As many of a unit as have so many bytes. */
function times(unit: string, bytes: number): string {
  return `${`${unit},`.repeat(Math.max(0, Math.floor(bytes / (unit.length + 1))))}${unit}`;
}

const TX = `"type":"transaction","start_timestamp":${NOW - 1},"timestamp":${NOW},` +
  `"contexts":{"trace":{"trace_id":"${ID}","span_id":"8c931f4740435fb8"}}`;
const LOG = `"timestamp":${NOW},"body":"packed"`;
const SPAN = `"trace_id":"${ID}","span_id":"8c931f4740435fb8","start_timestamp":${NOW},` +
  `"end_timestamp":${NOW}`;
const METRIC = `"timestamp":${NOW},"name":"a","type":"gauge","value":1`;
const NANOS = `"timeUnixNano":"${NOW}000000000"`;

/** Places in items of envelopes: `…` is where the units stand. */
const ITEMS: readonly (readonly [type: string, payload: string])[] = [
  ...["log", "span", "trace_metric"].map((type) => [type, `{"items":[…]}`] as const),
  ["log", `{"items":[{${LOG},"attributes":{"a":{"value":[…],"type":"array"}}}]}`],
  ["span", `{"items":[{${SPAN},"links":[…]}]}`],
  ["transaction", `{${TX},"spans":[…]}`],
  ...[
    ..."breadcrumbs extra tags threads request user fingerprint modules debug_meta errors logentry"
      .split(
        " ",
      ),
  ].map((field) => ["event", `{"${field}":[…]}`] as const),
  ["event", `{"exception":{"values":[…]}}`],
  ["event", `{"exception":{"values":[{"type":"a","stacktrace":{"frames":[…]}}]}}`],
  ["event", `{"extra":{"a":[…]}}`],
  ["feedback", `{"contexts":{"feedback":{"message":[…]}}}`],
  ["session", `{"attrs":[…]}`],
  ["sessions", `{"attrs":{"release":"a"},"aggregates":[…]}`],
  ["client_report", `{"discarded_events":[…]}`],
  ["check_in", `{"monitor_config":[…]}`],
  ["user_report", `{"comments":[…]}`],
  ["raw_security", `{"csp-report":[…]}`],
  ["nel", `[…]`],
  ...["profile", "profile_chunk"].flatMap((type) =>
    ["frames", "stacks", "samples"].map((list) =>
      [type, `{"version":"1","profile":{"frames":[{}],"stacks":[[0]],"${list}":[…]}}`] as const
    )
  ),
];

/** Places in JSON of OTLP, and of what browsers post. */
const BODIES: readonly (readonly [protocol: string, body: string])[] = [
  ["otlp_traces", `{"resourceSpans":[…]}`],
  ["otlp_traces", `{"resourceSpans":[{"resource":{"attributes":[…]}}]}`],
  ["otlp_traces", `{"resourceSpans":[{"scopeSpans":[…]}]}`],
  ["otlp_traces", `{"resourceSpans":[{"scopeSpans":[{"spans":[…]}]}]}`],
  ["otlp_traces", `{"resourceSpans":[{"scopeSpans":[{"spans":[{"events":[…]}]}]}]}`],
  ["otlp_logs", `{"resourceLogs":[{"scopeLogs":[{"logRecords":[…]}]}]}`],
  [
    "otlp_logs",
    `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"arrayValue":{"values":[…]}}}]}]}]}`,
  ],
  ["otlp_metrics", `{"resourceMetrics":[…]}`],
  ["otlp_metrics", `{"resourceMetrics":[{"scopeMetrics":[{"metrics":[…]}]}]}`],
  ...[
    `"gauge":{"dataPoints":[…]}`,
    `"gauge":{"dataPoints":[{${NANOS},"exemplars":[…]}]}`,
    `"summary":{"dataPoints":[{${NANOS},"quantileValues":[…]}]}`,
    `"histogram":{"aggregationTemporality":1,"dataPoints":[{${NANOS},"bucketCounts":[…]}]}`,
    `"exponentialHistogram":{"aggregationTemporality":1,"dataPoints":[{${NANOS},"positive":{"bucketCounts":[…]}}]}`,
  ].map((data) =>
    [
      "otlp_metrics",
      `{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"a",${data}}]}]}]}`,
    ] as const
  ),
  ["otlp_profiles", `{"resourceProfiles":[…]}`],
  ["otlp_profiles", `{"dictionary":{"locationTable":[…]}}`],
  ["sentry_store", `{"extra":[…]}`],
  ["sentry_security", `{"csp-report":[…]}`],
  ["sentry_nel", `[…]`],
];

/** Small values, and what is taken for one of the elements that belong there. */
const UNITS = [
  ...["{}", "[]", "0", "null", '""', '"ab"', "[[]]", '{"a":0}', '["a","b"]', "NaN", '"\\u0000"'],
  ...[`{${LOG}}`, `{${SPAN}}`, `{${METRIC}}`, '{"function":"a"}', '{"quantity":1}', '{"exited":1}'],
  ...[`{${LOG},"attributes":{${names(200)}}}`, `{${METRIC},"attributes":{${names(60)}}}`],
  ...['{"stack_id":0,"thread_id":"0","elapsed_since_start_ns":1}', '{"a":[{"b":{"c":[]}}]}'],
  ...['{"type":"a","stacktrace":{"frames":[{"function":"a","vars":{"a":1,"b":"c"}}]}}'],
  ...['{"key":"a","value":{"intValue":1}}', '{"name":"a","gauge":{"dataPoints":[{}]}}'],
];

function names(count: number): string {
  return Array.from({ length: count }, (_, index) => `"a${index}":1`).join();
}

/** An envelope of items that are filled with a unit. @param count of items, which share the room */
function envelope(
  type: string,
  payload: string,
  unit: string,
  count: number,
  size: number = SIZE,
): Flood {
  const [before = "", after = ""] = payload.split("…");
  const room = Math.min(size / count, count > 1 ? 990_000 : size) - payload.length - 40;
  const item = () => `{"type":"${type}"}\n${before}${times(unit, room)}${after}\n`;
  return {
    name: `${size} bytes of ${count} × ${type} ${payload} of ${unit.slice(0, 60)}`,
    protocol: "sentry_envelope",
    contentType: "",
    body: () => encode(`{"event_id":"${ID}"}\n${item().repeat(count)}`),
  };
}

function json(protocol: string, text: string, unit: string, size: number = SIZE): Flood {
  const [before = "", after = ""] = text.split("…");
  return {
    name: `${size} bytes of ${protocol} ${text} of ${unit.slice(0, 60)}`,
    protocol,
    contentType: protocol.startsWith("otlp") ? JSON_TYPE : "",
    body: () => encode(before + times(unit, size - text.length) + after),
  };
}

const unit = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...UNITS) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify(value)) },
);

/** Varints of protobuf. */
function varint(value: number): number[] {
  const bytes: number[] = [];
  for (; value > 0x7f; value = Math.floor(value / 128)) bytes.push(value & 0x7f | 0x80);
  return [...bytes, value];
}

function field(number: number, content: Uint8Array): Uint8Array {
  const head = [...varint(number * 8 + 2), ...varint(content.length)];
  const bytes = new Uint8Array(head.length + content.length);
  bytes.set(head);
  bytes.set(content, head.length);
  return bytes;
}

function repeated(bytes: Uint8Array, size: number): Uint8Array {
  const length = Math.max(1, Math.floor(size / Math.max(1, bytes.length))) * bytes.length;
  const all = new Uint8Array(length);
  all.set(bytes);
  for (let filled = bytes.length; filled > 0 && filled < length; filled *= 2) {
    all.copyWithin(filled, 0, Math.min(filled, length - filled));
  }
  return all;
}

/** Protocols of protobuf, with where their lists are: field numbers from the outside to the inside. */
const MESSAGES: readonly (readonly [protocol: string, type: string, paths: readonly number[][]])[] =
  [
    ["otlp_traces", PROTOBUF, [[1], [1, 1, 1], [1, 2], [1, 2, 2], [1, 2, 2, 9], [1, 2, 2, 11], [
      1,
      2,
      2,
      13,
    ]]],
    ["otlp_logs", PROTOBUF, [[1], [1, 2, 2], [1, 2, 2, 6], [1, 2, 2, 5, 5, 1], [1, 2, 2, 5, 6, 1]]],
    [
      "otlp_metrics",
      PROTOBUF,
      [
        ...[[1, 2, 2], [1, 2, 2, 5, 1], [1, 2, 2, 5, 1, 7], [1, 2, 2, 5, 1, 5], [1, 2, 2, 9, 1, 6]],
        ...[[1, 2, 2, 10, 1, 8, 2], [1, 2, 2, 10, 1], [1, 2, 2, 11, 1, 6], [1, 2, 2, 9, 1, 8]],
      ],
    ],
    ["otlp_profiles", PROTOBUF, [[1], [1, 2, 2], [2, 1], [2, 2], [2, 5], [2, 7], [1, 2, 2, 2]]],
    ["prometheus_write", PROTOBUF, [[1], [1, 1], [1, 2], [1, 3], [1, 4], [1, 4, 12], [1, 4, 11], [
      3,
    ]]],
    [
      "prometheus_write",
      `${PROTOBUF};proto=io.prometheus.write.v2.Request`,
      [[4], [5], [5, 1], [5, 2], [5, 3], [5, 3, 12], [5, 4], [5, 4, 1]],
    ],
    ["pprof", "application/octet-stream", [[1], [2], [2, 1], [2, 3], [4], [4, 4], [5], [6]]],
  ];

/** Few bytes: empty messages, packed numbers, fields that mean something in most messages. */
const bytes = fc.oneof(
  fc.constantFrom(
    ...[[], [0], [1], [0x80, 1], [8, 1], [10, 0], [10, 1, 97], [18, 0]].map((each) =>
      Uint8Array.from(each)
    ),
  ),
  fc.uint8Array({ maxLength: 24 }),
);

function protobuf(
  [protocol, contentType, path, content, isPacked]: readonly [
    string,
    string,
    readonly number[],
    Uint8Array,
    boolean,
  ],
  size: number = SIZE,
): Flood {
  const last = path.at(-1) ?? 1;
  // One long list of numbers, or messages one behind the other.
  const inner = () =>
    isPacked ? field(last, repeated(content, size)) : repeated(field(last, content), size);
  return {
    name: `${size} bytes of ${protocol} ${path.join(".")} of [${content.join()}]${
      isPacked ? " packed" : ""
    }`,
    protocol,
    contentType,
    body: () => path.slice(0, -1).reduceRight((message, number) => field(number, message), inner()),
  };
}

/** Every place with the emptiest unit, and places with what is read there. */
export function knownFloods(): Flood[] {
  const full: readonly (readonly [number, string])[] = [
    ...[[0, 11], [0, 17], [1, 12], [2, 18], [5, 7], [6, 0], [18, 14]] as const,
  ].map(([place, index]) => [place, UNITS[index] ?? ""]);
  const others = ITEMS.filter(([type, payload]) => type !== "event" || payload.includes("extra"));
  return [
    ...others.map(([type, payload]) => envelope(type, payload, "{}", 1, SIZE / 9)),
    envelope("log", `{"items":[…]}`, "{}", 1),
    ...["breadcrumbs", "extra", "threads"].map((name) =>
      envelope("event", `{"${name}":[…]}`, "{}", 12)
    ),
    ...full.map(([place, text]) => {
      const [type, payload] = ITEMS[place] ?? ["log", "…"];
      return envelope(type, payload, text, type === "event" ? 12 : 1);
    }),
    envelope("event", `{"exception":{"values":[…]}}`, UNITS[21] ?? "", 12),
    envelope("log", `{"items":[…]}`, `{${LOG}}`, 40),
    ...BODIES.map(([protocol, text]) => json(protocol, text, "{}", SIZE / 9)),
    ...MESSAGES.flatMap(([protocol, type, paths]) =>
      paths.flatMap((path) => [
        protobuf([protocol, type, path, Uint8Array.of(), false], SIZE / 16),
        protobuf([protocol, type, path, Uint8Array.of(1), true]),
      ])
    ),
    {
      name: "headers of items",
      protocol: "sentry_envelope",
      contentType: "",
      body: () => encode(`{}\n${`{"type":"x","a":[${times("{}", 99_000)}]}\n{}\n`.repeat(110)}`),
    },
    {
      name: "names that are all different",
      protocol: "sentry_envelope",
      contentType: "",
      body: () =>
        encode(
          `{}\n{"type":"log"}\n{"items":[{${
            Array.from({ length: 400_000 }, (_, index) => `"${index.toString(36)}":0`).join()
          }}]}`,
        ),
    },
    ...["a 1\n", "\n", ";", `${"a;".repeat(2_047)}a 1\n`].map((text) => ({
      name: `collapsed stacks of ${JSON.stringify(text.slice(0, 20))}`,
      protocol: "pyroscope_push",
      contentType: "",
      body: () => repeated(encode(text), SIZE),
    })),
    // Each is divided at `a`, whatever else the header says.
    ...["boundary=a", "a=boundary=b; boundary=a", 'boundary="\\a"'].map((parameters) => ({
      name: `a form with ${parameters}`,
      protocol: "pyroscope_push",
      contentType: `multipart/form-data; ${parameters}`,
      body: () => repeated(encode(FORM_PART), SIZE),
    })),
  ];
}

/** Any of them. */
export const flood: fc.Arbitrary<Flood> = fc.constantFrom(...SIZES).chain((size) =>
  fc.oneof(
    fc.tuple(fc.constantFrom(...ITEMS), unit, fc.constantFrom(1, 1, 12, 60))
      .map(([[type, payload], text, count]) => envelope(type, payload, text, count, size)),
    fc.tuple(fc.constantFrom(...BODIES), unit)
      .map(([[protocol, text], each]) => json(protocol, text, each, size)),
    fc.constantFrom(...MESSAGES).chain(([protocol, type, paths]) =>
      fc.tuple(
        fc.constant(protocol),
        fc.constant(type),
        fc.constantFrom(...paths),
        bytes,
        fc.boolean(),
      )
    ).map((message) => protobuf(message, size)),
  )
);
