/** Values that pass a first look, and that no store or calendar takes. */
const HEX = "0".repeat(32);

export const DATES = [
  "-000044-03-15T12:00:00Z",
  "0000-01-01T00:00:00Z",
  "9999-12-31T23:59:59Z",
];

/** In our own writing, of rows that cannot be. */
export const CURSORS = [
  ...[
    ["0000-01-01T00:00:00.000Z", HEX],
    ["0000-01-01T00:00:00.000Z", "3"],
    ["2026-02-31T00:00:00.000Z", HEX],
    ["2026-02-31T00:00:00.000Z", "3"],
    ["1.5", HEX],
    ["9".repeat(18), "9".repeat(18)],
    ["a\0", "3"],
  ].map((row) => btoa(JSON.stringify([1, ...row])).replace(/=+$/, "")),
  `999999999999999.${"-".repeat(36)}`,
  "999999999999999.00000000-0000-0000-0000-000000000000",
  "0:999999999:0",
];

export const TEXTS = ["", "a\0b", "9".repeat(25), "9999999d"];

/** What a field of JSON may say, beside what it is meant to. */
export const FIELD_VALUES: readonly unknown[] = [
  "a\0b",
  "\ud800",
  "",
  "0000-01-01T00:00:00Z",
  "9".repeat(25),
  "constructor",
  -1,
  2 ** 31,
  9e24,
  1.5,
  null,
  [],
  {},
  [["a\0"]],
  { "a\0": "\ud800" },
  // Cannot be made a text or a number of.
  { toString: 1, valueOf: 1, toJSON: 1, then: 1, length: -1 },
];

/** Text that does not become shorter when it is packed: keys and indexes have no place for it. @param length at most 1 MB */
export function longText(length: number): string {
  let text = "";
  for (let seed = 1; text.length < length; seed = (seed * 48_271) % 2_147_483_647) {
    text += seed.toString(36);
  }
  return text.slice(0, length);
}

/** The same as JSON, with what only its text can say: what is no number, names of no object, years, and what is long or deep. */
export const FIELD_TEXTS: readonly string[] = [
  ...FIELD_VALUES.map((value) => JSON.stringify(value)),
  ...['"NaN"', "NaN", "1e400", "-1e400", "true", "-62167219200", "253402300799", "-1e18"],
  ...[...DATES, "1e400", "\udc00\ud800", longText(5_000)].map((text) => JSON.stringify(text)),
  '{"__proto__":{"a":1},"constructor":{"prototype":1}}',
  '{"values":[null,{"values":{}}]}',
  `${'{"a":['.repeat(150)}1${"]}".repeat(150)}`,
];
