/**
 * The same stack comes again and again, and is the larger half of an event. One that came before is found by its text
 * before anything is parsed; what it becomes is known.
 */
import { asObject, type Raw, unsliced } from "../fields.ts";
import { hasBadEscapes, isWithin, type Json, parseJsonText } from "../json.ts";
import { type KnownFrames, knownFrames, makeKnown } from "./known_frames.ts";
import type { NormalizedEvent } from "./normalized_event.ts";
import { normalizeStacktrace } from "./stacktraces.ts";

/** How stacks stand in the JSON of SDKs, which write no blanks; others are parsed with their event. */
const OPEN = '"frames":[';
const CLOSE = "}]}";
/** Shorter ones are parsed as fast as they are looked up. */
const MIN_CHARS = 200;
/** Of one event: threads have many. */
const MAX_STACKS = 32;
/** What the stacks of a generation have as text; an hour's different ones of a busy installation are fewer. */
const MAX_CHARS = 1_500_000;
/** From the event to the frames of an exception: so many levels of the parser's are used up. */
const LEVELS_ABOVE = 5;
/** Stands where frames were. Nobody can know it, and JSON writes it as it is. */
const MARK = `frames ${crypto.randomUUID()} `;
/** One for each stack, as strings of their own: one that was put together would slow `JSON.stringify()` down. */
const MARKS = Array.from({ length: MAX_STACKS }, (_, index) => unsliced(`${MARK}${index}`));

const STACK_FIELDS = ["stacktrace", "raw_stacktrace"] as const;

/** What a project lets be stored of an event. */
interface Policy {
  /** Takes secrets out, in place. */
  scrubEvent(event: NormalizedEvent): void;
}

type Generation = Map<Policy, Map<string, KnownFrames | null>>;

/** By policy: what is secret to one project is not to another. Stacks of two generations, the older of which goes when the newer is full. */
let young: Generation = new Map();
let old: Generation = new Map();
let chars = 0;

/** Tells of stacks that come the second time, by samples of their text: most come once or very often. */
const glimpses = new Int32Array(4_096);

/**
 * Parses the JSON of an event that is not large enough to be trimmed.
 *
 * @throws {SyntaxError} as `parseJson()`
 */
export function parseEventText(text: string, policy: Policy): Json {
  const { pieces, stacks } = splitOff(text, policy);
  if (stacks.length === 0) return parseJsonText(text);
  const event = parseJsonText(pieces.join(""));
  return putBack(event, stacks) === stacks.length ? event : parseJsonText(text);
}

/** Takes known stacks out of the text of an event: what is before each, with its mark, and the rest. */
function splitOff(text: string, policy: Policy) {
  const pieces: string[] = [];
  const stacks: KnownFrames[] = [];
  let rest = 0;
  let at = text.indexOf(OPEN);
  while (at > 0 && stacks.length < MAX_STACKS) {
    const start = at + OPEN.length - 1;
    const close = text.indexOf(CLOSE, start);
    if (close < 0) break;
    const end = close + 2;
    const before = text[at - 1];
    const isName = before === "{" || before === ",";
    const found = isName && end - start >= MIN_CHARS ? find(text.slice(start, end), policy) : null;
    if (found !== null) {
      pieces.push(text.slice(rest, start), `"${MARKS[stacks.length]}"`);
      stacks.push(found);
      rest = end;
    }
    at = text.indexOf(OPEN, found === null ? start : end);
  }
  pieces.push(text.slice(rest));
  return { pieces, stacks };
}

function find(text: string, policy: Policy): KnownFrames | null {
  const known = young.get(policy)?.get(text);
  if (known !== undefined) return known;
  const before = old.get(policy)?.get(text);
  if (before !== undefined) return remember(text, policy, before);
  if (!isSecondGlimpse(text)) return null;
  const own = unsliced(text);
  return remember(own, policy, learn(own, policy));
}

function remember(text: string, policy: Policy, known: KnownFrames | null): KnownFrames | null {
  if (chars > MAX_CHARS) {
    old = young;
    young = new Map();
    chars = 0;
  }
  let own = young.get(policy);
  if (own === undefined) young.set(policy, own = new Map());
  own.set(text, known);
  chars += text.length;
  return known;
}

const SAMPLES = 32;
const FNV_PRIME = 0x01000193;

function isSecondGlimpse(text: string): boolean {
  let hash = text.length;
  for (let sample = 0; sample < SAMPLES; sample++) {
    const code = text.charCodeAt(Math.floor(sample * text.length / SAMPLES));
    hash = Math.imul(hash ^ code, FNV_PRIME);
  }
  const place = (hash ^ hash >>> 15) & glimpses.length - 1;
  if (glimpses[place] === hash) return true;
  glimpses[place] = hash;
  return false;
}

/** What becomes of a stack in every event; null when that depends on more than itself, or it is no stack as a whole. */
function learn(text: string, policy: Policy): KnownFrames | null {
  const sent = framesIn(text);
  if (sent === null) return null;
  const stack = normalizeStacktrace({ frames: sent });
  if (stack === undefined || stack.frames_omitted !== undefined) return null;
  const json = JSON.stringify(stack.frames);
  const event = { exception: { values: [{ stacktrace: stack }] } } as unknown as NormalizedEvent;
  policy.scrubEvent(event);
  if (event._scrubbed !== undefined || JSON.stringify(stack.frames) !== json) return null;
  return makeKnown(stack.frames, json);
}

function framesIn(text: string): Json | null {
  if (hasBadEscapes(text)) return null;
  try {
    const sent = JSON.parse(text);
    return isWithin(sent, LEVELS_ABOVE) ? sent : null;
  } catch {
    return null; // it only begins like a list, or ends elsewhere
  }
}

/** Puts stacks back where their marks are. @returns how many of those were found where stacks belong */
function putBack(event: Json, stacks: readonly KnownFrames[]): number {
  let found = 0;
  for (const stack of stacksOf(event)) {
    const { frames } = stack;
    if (typeof frames !== "string" || !frames.startsWith(MARK)) continue;
    stack.frames = stacks[Number(frames.slice(MARK.length))]?.frames;
    found++;
  }
  return found;
}

/** The stacks of all exceptions and threads of an event. */
function stacksOf(event: unknown): Raw[] {
  const stacks: Raw[] = [];
  const sent = asObject(event);
  for (const holders of [asObject(sent?.exception)?.values, asObject(sent?.threads)?.values]) {
    if (!Array.isArray(holders)) continue;
    for (const holder of holders) {
      for (const field of STACK_FIELDS) {
        const stack = asObject(asObject(holder)?.[field]);
        if (stack !== undefined) stacks.push(stack);
      }
    }
  }
  return stacks;
}

/** An event as JSON text: known stacks as they were written before. */
export function eventText(event: NormalizedEvent): string {
  const stacks: Raw[] = [];
  const known: KnownFrames[] = [];
  for (const stack of stacksOf(event)) {
    const frames = knownFrames(stack.frames);
    if (frames === undefined || stacks.length === MAX_STACKS) continue;
    stacks.push(stack);
    known.push(frames);
  }
  stacks.forEach((stack, index) => stack.frames = MARKS[index]);
  const text = JSON.stringify(event);
  stacks.forEach((stack, index) => stack.frames = known[index]?.frames);
  return stacks.length === 0 ? text : filledIn(text, known);
}

/** The text with each mark replaced, in whichever order they stand. */
function filledIn(text: string, known: readonly KnownFrames[]): string {
  let whole = "";
  let copied = 0;
  for (let at = text.indexOf(MARK); at >= 0; at = text.indexOf(MARK, copied)) {
    const end = text.indexOf('"', at);
    const json = known[Number(text.slice(at + MARK.length, end))]?.json ?? "[]";
    whole += text.slice(copied, at - 1) + json;
    copied = end + 1;
  }
  return whole + text.slice(copied);
}
