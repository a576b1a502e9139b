/**
 * Events as clients send them, and hundreds that differ from them in odd ways, with the digests of what they become:
 * whoever makes decoding faster must change nothing of it.
 */
import { createHash } from "node:crypto";
import { DEFAULT_SETTINGS, type ProjectSettings } from "@/lib/accounts/projects.ts";
import { parseEnvelope } from "@/lib/formats/sentry/envelope.ts";
import { decodeItems } from "@/lib/formats/sentry/items.ts";
import { policyOf } from "@/lib/ingest/policy.ts";
import { envelopeRest } from "../../../bench/payloads.ts";
import { decodeContext } from "../../../support/decode_context.ts";

const FIXTURES = new URL("../../../fixtures/", import.meta.url);
const CORPORA = ["browser", "browser_minified", "go", "kinds", "node", "python"];
/** Of each corpus every so many: stacks of one kind have much in common. */
const EVERY = 6;
const VARIANTS = 4;
const RECEIVED = new Date("2026-11-20T12:00:00.000Z");

type Value = null | boolean | number | string | Value[] | { [key: string]: Value };

/** Texts of events, by a name that tells where each comes from. */
export function* texts(): Generator<[name: string, text: string]> {
  for (const [name, text] of plainTexts()) {
    yield [name, text];
    for (let variant = 1; variant <= VARIANTS; variant++) {
      const random = randomOf(`${name} ${variant}`);
      yield [`${name} ~${variant}`, JSON.stringify(changed(JSON.parse(text), random, 0))];
    }
  }
}

function* plainTexts(): Generator<[name: string, text: string]> {
  for (const corpus of CORPORA) {
    const lines = Deno.readTextFileSync(new URL(`grouping/${corpus}.jsonl`, FIXTURES)).trim();
    for (const [index, line] of lines.split("\n").entries()) {
      if (index % EVERY === 0) yield [`${corpus} ${index}`, line];
    }
  }
  for (const folder of sorted(new URL("sentry/", FIXTURES))) {
    if (folder === "README.md") continue;
    for (const file of sorted(new URL(`sentry/${folder}/`, FIXTURES))) {
      const bytes = Deno.readFileSync(new URL(`sentry/${folder}/${file}`, FIXTURES));
      for (const [index, { type, payload }] of parseEnvelope(bytes).items.entries()) {
        if (type !== "event") continue;
        yield [`${folder}/${file} ${index}`, new TextDecoder().decode(payload)];
      }
    }
  }
  for (let variant = 0; variant < 3; variant++) {
    const text = envelopeRest(variant).split("\n")[1] ?? "";
    // Times are those of now, and how many digits they have decides how much is filled up.
    const settled = text.replaceAll(/"timestamp":\d+(?:\.\d+)?/g, '"timestamp":1763640000.25')
      .replace(/"notes":"[^"]*"/, '"notes":"item 1 of 7919 is in stock; item 2"');
    yield [`bench ${variant}`, settled];
  }
}

function sorted(folder: URL): string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
}

/** The same numbers for the same name. */
function randomOf(name: string): () => number {
  let state = createHash("sha256").update(name).digest().readUInt32LE();
  return () => {
    state = Math.imul(state ^ state >>> 15, 0x2c1b3c6d) + 0x9e3779b9 | 0;
    return (state >>> 0) / 2 ** 32;
  };
}

const ODD: readonly Value[] = [
  null,
  true,
  0,
  4111111111111111,
  1e300,
  "",
  " ",
  "?",
  "<anonymous>",
  "None",
  "a\u0000b\ud800",
  " two  blanks\nand\ta tab ",
  "\u001b[31mred\u001b[0m",
  "ключ=значение",
  "password=hunter2&token=abc",
  '{"api_key": "s3cr3t", "a": [1, {"b": 2}]}',
  "https://user:secret@example.test/a?b=c#d",
  "Bearer abcdef0123456789",
  "card 4111 1111 1111 1111 of DE89370400440532013000",
  "{{ default }}",
  '}]}"frames":[{"',
  "node:internal/process",
  "https://example.test/static/app.0123abcd.js",
  [],
  {},
  [["a", "b"], ["c", null]],
  { values: [] },
  { frames: [{ function: "f" }] },
];
const ODD_KEYS = ["password", "x-api-key", "__proto__", "frames", "values", "email", "user-agent"];

/** Now and then another value, another key, one more or one less. */
function changed(value: Value, random: () => number, depth: number): Value {
  const oddOne = () => ODD[Math.floor(random() * ODD.length)] ?? null;
  const dice = random();
  if (depth > 0 && dice < 0.012) return structuredClone(oddOne());
  if (depth > 0 && dice < 0.014) return "long ".repeat(2_000);
  if (typeof value !== "object" || value === null) {
    return typeof value === "string" && dice > 0.99 ? `${value} ${oddOne()}` : value;
  }
  if (Array.isArray(value)) {
    const list = value.map((each) => changed(each, random, depth + 1));
    const [first] = list;
    // More of them than a stack keeps.
    const most = first !== undefined && JSON.stringify(first).length < 600 ? 300 : 3;
    if (first !== undefined && dice > 0.985) list.push(...Array(most).fill(first));
    return list;
  }
  const entries = Object.entries(value).flatMap(([key, each]): [string, Value][] => {
    const next = changed(each, random, depth + 1);
    const turn = random();
    if (turn < 0.01) return [];
    if (turn < 0.015) return [[ODD_KEYS[Math.floor(random() * ODD_KEYS.length)] ?? key, next]];
    if (turn < 0.02) return [[key, next], [`${key}_2`, oddOne()]];
    return [[key, next]];
  });
  if (dice > 0.99) entries.reverse();
  return Object.fromEntries(entries);
}

const SETTINGS: readonly ProjectSettings[] = [
  DEFAULT_SETTINGS,
  {
    ...DEFAULT_SETTINGS,
    privacy: {
      scrubs: true,
      extraFields: ["function", "shard"],
      safeFields: ["token"],
      keepsAddresses: false,
    },
    fingerprintRules: "type:OrderError -> order-{{ transaction }}",
  },
  { ...DEFAULT_SETTINGS, privacy: { ...DEFAULT_SETTINGS.privacy, scrubs: false } },
];

/** By settings: digests of everything that an event becomes, as often as it takes until it is remembered. */
export function digestsOf(text: string): string[][] {
  const json = new TextEncoder().encode(text);
  const header = new TextEncoder().encode(
    '{"event_id":"0123456789abcdef0123456789abcdef","sent_at":"2026-11-20T12:00:00.000Z"}\n{"type":"event"}\n',
  );
  const envelope = new Uint8Array([...header, ...json]);
  return SETTINGS.map((settings) => {
    const policy = policyOf(settings);
    return [1, 2, 3].map(() => {
      const context = decodeContext({
        policy,
        receivedAt: RECEIVED,
        clientAddress: "203.0.113.7",
        userAgent: "curl/8.0",
        drafts: new Map(),
        maxEventBytes: 20_000_000,
      });
      const { records, outcomes } = decodeItems(parseEnvelope(envelope), context);
      const events = [...context.drafts?.values() ?? []].map(({ event }) => event);
      return createHash("sha256").update(JSON.stringify({ records, outcomes, events })).digest(
        "hex",
      ).slice(0, 12);
    });
  });
}
