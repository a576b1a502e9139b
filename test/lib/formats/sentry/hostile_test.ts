import { EnvelopeError, parseEnvelope } from "@/lib/formats/sentry/envelope.ts";
import { decodeItems } from "@/lib/formats/sentry/items.ts";
import { decodeContext } from "@/test/support/decode_context.ts";
import { assertStorable } from "./storable.ts";
import { inTime } from "@/test/support/time_budget.ts";

/** What one request may cost at most; the inputs below fill the largest body that is accepted. */
const MAX_MILLISECONDS = 100;
const SIZE = 1_000_000;

const context = decodeContext({
  receivedAt: new Date("2026-11-21T00:00:00Z"),
  maxEventBytes: 20_000_000,
});

function repeat(piece: string, { before = "", after = "" } = {}): string {
  const times = Math.floor((SIZE - before.length - after.length) / (piece.length + 1));
  return before + new Array(times).fill(piece).join(",") + after;
}

function list(piece: string, path: string): string {
  return repeat(piece, { before: `{${path}:[`, after: "]}" });
}

/** An object of as many distinct keys as fit. */
function wide(path: string, value: string): string {
  const entries: string[] = [];
  for (let i = 0, size = 0; size < SIZE - 100; i++) {
    const entry = `"k${i}":${value}`;
    entries.push(entry);
    size += entry.length + 1;
  }
  return `{${path}:{${entries.join(",")}}}`;
}

function long(unit: string, path: string): string {
  return `{${path}:"${unit.repeat(Math.floor((SIZE - 200) / unit.length))}"}`;
}

function nested(open: string, close: string, levels: number): string {
  return open.repeat(levels) + "1" + close.repeat(levels);
}

const FRAMES = `"exception":{"values":[{"type":"E","stacktrace":{"frames"`;
const EVENTS: Record<string, string> = {
  "10,000 levels of lists": `{"extra":{"a":${nested("[", "]", 10_000)}}}`,
  "10,000 levels of objects": `{"contexts":{"a":${nested('{"a":', "}", 10_000)}}}`,
  "500,000 levels": `{"extra":${nested("[", "]", 499_000)}}`,
  "500,000 levels never closed": "[".repeat(SIZE),
  "levels inside strings": long("[{", '"message"'),
  "one long message": long("x", '"message"'),
  "a message of blanks": long(" ", '"message"'),
  "a message of line breaks": long("\\n", '"message"'),
  "a message of escapes": long("\\\\", '"message"'),
  "a message of quotes": long('\\"', '"message"'),
  "a message of lone surrogates": long("\\ud800", '"message"'),
  "a message of NUL": long("\\u0000", '"message"'),
  "a message of raw control characters": long("\u0001", '"message"'),
  "a message of percent signs": long("%s", '"logentry":{"params":[1,2,3],"message"').replace(
    /$/,
    "}",
  ),
  "a template that repeats one large parameter": `{"logentry":{"message":"${
    "{0}".repeat(2_000)
  }","params":[{"a":"${"y".repeat(SIZE - 10_000)}"}]}}`,
  "a long exception value": long("a=' ", '"exception":{"value"') + "}",
  "a value of digits": long("1", '"exception":{"type":"E","value"') + "}",
  "a value like an e-mail": long("a.", '"exception":{"type":"E","value"') + "}",
  "a value like addresses": long("1:", '"exception":{"type":"E","value"') + "}",
  "a long type": long("T", '"exception":{"type"') + "}",
  "a long key": `{"${"k".repeat(SIZE)}":1}`,
  "many empty exceptions": list("{}", '"exception"'),
  "many exceptions": list('{"type":"E"}', '"exception"'),
  "many exceptions of one group": list(
    '{"type":"E","mechanism":{"exception_id":1,"parent_id":0,"is_exception_group":true}}',
    '"exception"',
  ),
  "10,000 frames": `{${FRAMES}:[${
    Array.from({ length: 10_000 }, (_, i) => `{"function":"f${i}","lineno":${i},"in_app":true}`)
  }]}}]}}`,
  "empty frames": list("{}", `${FRAMES}`) + "}]}}",
  "null frames": list("null", `${FRAMES}`) + "}]}}",
  "a long function": long("f<(", `${FRAMES}:[{"function"`) + "]}}]}}",
  "a long source line": long("x ", `${FRAMES}:[{"context_line"`) + "]}}]}}",
  "many source lines": list('"x"', `${FRAMES}:[{"pre_context"`) + "]}}]}}",
  "many threads": list('{"id":1,"crashed":true}', '"threads"'),
  "many breadcrumbs": list('{"message":"x"}', '"breadcrumbs"'),
  "breadcrumbs of numbers": list("1", '"breadcrumbs"'),
  "many tag pairs": list('["a","b"]', '"tags"'),
  "many tags": wide('"tags"', '"v"'),
  "one long tag": long("v ", '"tags":{"t"') + "}",
  "many headers": wide('"request":{"headers"', '"v"') + "}",
  "a long query": long("a=%41&", '"request":{"query_string"') + "}",
  "a query of plus signs": long("+", '"request":{"query_string"') + "}",
  "a long URL": long("/?#", '"request":{"url":"https://h').replace('"https://h:"', '"https://h') +
    "}",
  "long cookies": long("a=b; ", '"request":{"cookies"') + "}",
  "a body of JSON": long("[", '"request":{"data"') + "}",
  "a long user agent": long("Version/1 ", '"request":{"headers":{"User-Agent"') + "}}",
  "many contexts": wide('"contexts"', '{"a":1}'),
  "many extras": wide('"extra"', "1"),
  "many modules": wide('"modules"', '"1.0"'),
  "many user fields": wide('"user"', "1"),
  "many unknown fields": wide('"unknown"', "null"),
  "many fingerprints": list('"{{ default }}"', '"fingerprint"'),
  "a long fingerprint": long("{{ ", '"fingerprint"'),
  "bare NaN": repeat("NaN", { before: '{"extra":{"a":[', after: "]}}" }),
  "strings around NaN": repeat('""', { before: '{"extra":{"a":[NaN,', after: "]}}" }),
  "minus signs": "-".repeat(SIZE),
  "only quotes": '"'.repeat(SIZE),
  "only backslashes": "\\".repeat(SIZE),
};

for (const [name, json] of Object.entries(EVENTS)) {
  Deno.test(`decodeItems() takes less than 100 ms for ${name}`, () => {
    const bytes = new TextEncoder().encode(`{}\n{"type":"event"}\n${json}`);
    inTime(MAX_MILLISECONDS, () => decode(bytes));
  });
}

const FRAMINGS: Record<string, string> = {
  "newlines only": "\n".repeat(SIZE),
  "a header and newlines": "{}\n" + "\n".repeat(SIZE),
  "tiny items": "{}\n" + '{"type":"x"}\n\n'.repeat(SIZE / 14),
  "tiny events": "{}\n" + '{"type":"event"}\n{}\n'.repeat(SIZE / 20),
  "items of zero length": "{}\n" + '{"type":"x","length":0}\n\n'.repeat(SIZE / 25),
  "items without type": "{}\n" + "{}\n\n".repeat(SIZE / 4),
  "a header that never ends": "{".repeat(SIZE),
  "zero bytes": "\0".repeat(SIZE),
};

for (const [name, text] of Object.entries(FRAMINGS)) {
  Deno.test(`parseEnvelope() takes less than 100 ms for ${name}`, () => {
    const bytes = new TextEncoder().encode(text);
    inTime(MAX_MILLISECONDS, () => decode(bytes));
  });
}

function decode(bytes: Uint8Array): void {
  try {
    for (const record of decodeItems(parseEnvelope(bytes), context).records) assertStorable(record);
  } catch (error) {
    if (!(error instanceof EnvelopeError)) throw error;
  }
}
