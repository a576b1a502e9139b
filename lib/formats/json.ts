/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | JsonObject;

export interface JsonObject {
  [key: string]: Json;
}

/** Deeper values are replaced by {@link TOO_DEEP}: every later step may then recurse without counting. */
const MAX_DEPTH = 64;
const TOO_DEEP = "[too deep]";

/** What an object has beyond this is left out: 90,000 keys fit in 1 MB, and every walk over them takes 30 ms. */
const MAX_KEYS = 2_000;

/** Beyond this the parser itself becomes slow (500,000 levels fit in 1 MB and take 80 ms): refused unparsed. */
const MAX_PARSED_DEPTH = 10_000;
/** Shorter texts are not worth looking at: even nothing but brackets parses in a few milliseconds. */
const SHALLOW_TEXT = 100_000;

const decoder = new TextDecoder();

/**
 * Parses JSON that a stranger sent, as leniently as a store can bear: invalid UTF-8 and lone surrogates become
 * U+FFFD, so does NUL (Postgres refuses both), bare `NaN` and `Infinity` become null, raw control characters
 * in strings become blanks, a byte order mark is skipped, nesting beyond 64 levels and an object's keys beyond
 * 2,000 are cut off.
 *
 * Keys such as `__proto__` arrive as own properties and change no prototype; whoever copies keys must use
 * `put()`.
 *
 * @throws {SyntaxError} when it is no JSON even so, or a large text nests more than 10,000 levels
 */
export function parseJson(bytes: Uint8Array): Json {
  return parseJsonText(textOf(bytes));
}

/** The text of UTF-8, with U+FFFD for what is none; a byte order mark is skipped. */
export function textOf(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/** {@link parseJson} for text that is already decoded. */
export function parseJsonText(text: string): Json {
  if (text.length > SHALLOW_TEXT && bracketDepth(text) > MAX_PARSED_DEPTH) {
    throw new SyntaxError("Cannot parse JSON: nested too deep");
  }
  return bounded(parseLeniently(withoutBadEscapes(text)));
}

/** How deep brackets nest in a text, those inside strings included: an upper bound for its JSON depth. */
function bracketDepth(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at) & ~0x20; // `{` and `[`, `}` and `]` differ in this one bit
    if (code === 0x5b) deepest = Math.max(deepest, ++depth);
    else if (code === 0x5d) depth--;
  }
  return deepest;
}

/** Sets an own property whatever its name: plain assignment to `__proto__` would change the prototype. */
export function put(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(target, key, {
      value,
      enumerable: true,
      writable: true,
      configurable: true,
    });
  } else {
    target[key] = value;
  }
}

const SUSPECT_ESCAPE = /\\u(?:0000|[dD][89a-fA-F])/;

// A whole pair is matched first so that it is left alone; the look-behind and the even number of backslashes
// before `\u` tell an escape from an escaped backslash followed by a `u`, in linear time.
const PAIR_OR_BAD_ESCAPES =
  /(?<!\\)((?:\\\\)*)(?:\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|((?:\\u(?:0000|[dD][89abAB][\da-fA-F]{2}(?!\\u[dD][c-fC-F])|[dD][c-fC-F][\da-fA-F]{2})){1,1000}))/g;
const ESCAPE_LENGTH = "\\u0000".length;

/** Whether JSON text has escapes that `parseJson()` replaces. */
export function hasBadEscapes(text: string): boolean {
  // Most texts have none at all, which is seen in half the time.
  return text.includes("\\u") && SUSPECT_ESCAPE.test(text);
}

/** Replaces `\u0000` and unpaired surrogate escapes in JSON text, in keys as well as in values. */
function withoutBadEscapes(text: string): string {
  if (!hasBadEscapes(text)) return text;
  return text.replace(
    PAIR_OR_BAD_ESCAPES,
    (match, backslashes: string, bad?: string) =>
      bad ? backslashes + "\\ufffd".repeat(bad.length / ESCAPE_LENGTH) : match,
  );
}

function parseLeniently(text: string): Json {
  try {
    return JSON.parse(text);
  } catch (error) {
    const repaired = withoutBadTokens(text);
    if (repaired === text) throw error;
    return JSON.parse(repaired);
  }
}

const BACKSLASH = 0x5c;
const CONTROL_CHARACTERS = /\p{Cc}+/gu;
const BARE_NUMBER = /-?\b(?:Infinity|NaN)\b/g;

/** Raw control characters → blanks, which JSON allows everywhere; bare `NaN` and `Infinity` → null. */
function withoutBadTokens(text: string): string {
  const blanked = text.replace(CONTROL_CHARACTERS, " ");
  const pieces: string[] = [];
  let copied = 0;
  for (let at = 0; at < blanked.length;) {
    const quote = blanked.indexOf('"', at);
    const open = quote < 0 ? blanked.length : quote;
    if (open - at >= "NaN".length) {
      pieces.push(
        blanked.slice(copied, at),
        blanked.slice(at, open).replace(BARE_NUMBER, "null"),
      );
      copied = open;
    }
    at = endOfString(blanked, open);
  }
  pieces.push(blanked.slice(copied));
  return pieces.join("");
}

/** The index after the quote that closes the string opened at `open`, or the end of the text. */
function endOfString(text: string, open: number): number {
  for (let quote = text.indexOf('"', open + 1); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(quote - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return quote + 1;
  }
  return text.length;
}

function bounded(value: Json): Json {
  return exceedsBounds(value, MAX_DEPTH) ? cut(value, MAX_DEPTH) : value;
}

/** Whether a value is kept whole so many levels below the top. */
export function isWithin(value: Json, levelsAbove: number): boolean {
  return !exceedsBounds(value, MAX_DEPTH - levelsAbove);
}

function exceedsBounds(value: Json, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      if (exceedsBounds(value[i] ?? null, levels - 1)) return true;
    }
    return false;
  }
  let keys = 0;
  for (const key in value) {
    if (++keys > MAX_KEYS || exceedsBounds(value[key] ?? null, levels - 1)) return true;
  }
  return false;
}

function cut(value: Json, levels: number): Json {
  if (typeof value !== "object" || value === null) return value;
  if (levels === 0) return TOO_DEEP;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) value[i] = cut(value[i] ?? null, levels - 1);
    return value;
  }
  const kept: JsonObject = {};
  let keys = 0;
  for (const key in value) {
    if (++keys > MAX_KEYS) break;
    put(kept, key, cut(value[key] ?? null, levels - 1));
  }
  return kept;
}

/** How much one request may make a parser of JSON build, whatever it is made of. */
interface JsonBounds {
  /** Values and names: what opens, what separates and what names counts one each. */
  readonly parts: number;
  /** Different names: each new one costs a microsecond and is remembered by the engine. */
  readonly names: number;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const OPEN_BRACE = 0x7b;

/** Bits to tell names apart by. With half of them set 90,000 names have been seen. */
const NAME_BITS = 2 ** 17;
const FNV_PRIME = 0x01000193;
/** Nobody can choose names that look the same here. */
const SEED = crypto.getRandomValues(new Int32Array(1))[0] ?? 0;

/**
 * Tells what a parser would make of JSON before anything is made: three bytes are enough for an object, and gzip makes
 * eleven kilobytes of four million of them. One pass over the bytes, a nanosecond or two for each.
 */
export class JsonMeter {
  #parts = 0;
  #names = 0;
  readonly #seen = new Uint32Array(NAME_BITS / 32);

  constructor(private readonly bounds: JsonBounds) {}

  /**
   * Whether these bytes may be parsed as well: what may not is not counted, and others beside it still fit.
   *
   * @param json UTF-8, which need not be whole or JSON
   * @param cost of a part: less than 1 where little is made of it
   */
  admits(json: Uint8Array, cost = 1): boolean {
    const parts = this.#parts + cost * this.#count(json);
    if (parts > this.bounds.parts || this.#names > this.bounds.names) return false;
    this.#parts = parts;
    return true;
  }

  #count(json: Uint8Array): number {
    let parts = 0;
    let hash = SEED;
    for (let at = 0; at < json.length; at++) {
      const byte = json[at];
      if (byte === QUOTE) {
        hash = SEED;
        for (at++; at < json.length && json[at] !== QUOTE; at++) {
          if (json[at] === BACKSLASH) at++;
          hash = Math.imul(hash ^ (json[at] ?? 0), FNV_PRIME);
        }
      } else if (byte === COLON) {
        parts++;
        this.#note(hash);
      } else if (byte === COMMA || byte === OPEN_BRACE || byte === OPEN_BRACKET) parts++;
    }
    return parts;
  }

  #note(hash: number): void {
    const bit = (hash ^ hash >>> 15) & NAME_BITS - 1;
    const word = this.#seen[bit >>> 5] ?? 0;
    const mask = 1 << (bit & 31);
    if ((word & mask) !== 0) return;
    this.#seen[bit >>> 5] = word | mask;
    this.#names++;
  }
}
