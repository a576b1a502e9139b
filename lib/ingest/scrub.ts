import type { Json, JsonObject } from "../formats/json.ts";
import { knownFrames } from "../formats/sentry/known_frames.ts";
import type {
  Exception,
  Frame,
  NormalizedEvent,
  Pair,
  RequestInfo,
  Stacktrace,
  Thread,
} from "../formats/sentry/normalized_event.ts";
import {
  FILTERED,
  hideSecrets,
  isCardNumber,
  type NameRules,
  WELL_KNOWN_NAMES,
} from "./secrets.ts";

/** Fields that hold identifiers and versions of the client's software, or numbers of ours. */
const HARMLESS_FIELDS = new Set([
  "event_id",
  "type",
  "timestamp",
  "received",
  "platform",
  "level",
  "release",
  "dist",
  "environment",
  "fingerprint",
  "modules",
  "sdk",
  "debug_meta",
  "_received",
  "_scrubbed",
]);

/** Fields of a frame that hold the program's own text, which is no place to look for data. */
const CODE_FIELDS = new Set([
  "function",
  "raw_function",
  "symbol",
  "module",
  "package",
  "filename",
  "abs_path",
  "pre_context",
  "context_line",
  "post_context",
  "platform",
  "instruction_addr",
]);

/** Walked by themselves. */
const STACK_FIELDS = new Set(["stacktrace", "raw_stacktrace"]);

/** Card numbers have 13 digits or more; most numbers are spared the search. */
const MIN_CARD = 1e12;

const NOTHING_SKIPPED: ReadonlySet<string> = new Set();

/** How many names of fields a note holds. */
const MAX_NOTED = 20;

/** Takes secrets out of what is stored, in place; `[Filtered]` stands where they were. */
export class Scrubber {
  readonly #names: NameRules;
  /** How many values were hidden, and in which parts of the event, since the note was last taken. */
  #count = 0;
  readonly #fields = new Set<string>();
  #part = "";

  constructor(names: NameRules = WELL_KNOWN_NAMES) {
    this.#names = names;
  }

  /**
   * Takes secrets out of an event before it becomes text: by name (passwords, tokens, cookies …) and by looks (card
   * numbers, private keys, passwords in addresses). What was done is noted in `_scrubbed`.
   */
  scrubEvent(event: NormalizedEvent): void {
    this.#count = 0;
    this.#fields.clear();
    const { exception, threads, stacktrace, template, request, tags, contexts, ...rest } = event;
    this.#part = "exception";
    for (const one of exception?.values ?? []) this.#scrubWithStacks(one);
    this.#part = "threads";
    for (const one of threads?.values ?? []) this.#scrubWithStacks(one);
    this.#part = "stacktrace";
    if (stacktrace !== undefined) this.#scrubStack(stacktrace);
    if (template !== undefined) this.#scrubFields(asJson(template), false, CODE_FIELDS);
    this.#part = "request";
    if (request !== undefined) this.#scrubRequest(request);
    this.#part = "tags";
    if (tags !== undefined) this.#scrubPairs(tags, false);
    this.#part = "contexts";
    // The name of a context is the name of a subject, such as `session`, not of a value.
    for (const context of Object.values(contexts ?? {})) this.#scrubFields(context, false);
    for (const field in rest) {
      if (HARMLESS_FIELDS.has(field)) continue;
      this.#part = field;
      this.#scrubField(asJson(event), field, false);
    }
    if (this.#count > 0) event._scrubbed = { count: this.#count, fields: [...this.#fields] };
  }

  /** Takes secrets out of free-form JSON, in place. */
  scrubObject(object: JsonObject): void {
    this.#scrubFields(object, false);
  }

  /** A text without what is secret by its looks. */
  scrubText(text: string): string {
    return hideSecrets(text, this.#names);
  }

  #scrubWithStacks(one: Exception | Thread): void {
    if (one.stacktrace !== undefined) this.#scrubStack(one.stacktrace);
    if (one.raw_stacktrace !== undefined) this.#scrubStack(one.raw_stacktrace);
    this.#scrubFields(asJson(one), false, STACK_FIELDS);
  }

  #scrubStack({ frames }: Stacktrace): void {
    // Those that are known were looked through when they came first.
    if (knownFrames(frames) !== undefined) return;
    for (const frame of frames) this.#scrubFields(asJson(frame), false, CODE_FIELDS);
  }

  #scrubRequest(request: RequestInfo): void {
    const { headers, query_string, cookies, ...rest } = request;
    if (headers !== undefined) this.#scrubPairs(headers, false);
    if (query_string !== undefined) this.#scrubPairs(query_string, false);
    // Which cookie holds the session is known to the application only.
    if (cookies !== undefined) this.#scrubPairs(cookies, true);
    for (const field in rest) this.#scrubField(asJson(request), field, false);
  }

  #scrubPairs(pairs: Pair[], hideAll: boolean): void {
    for (const pair of pairs) {
      const hidden = hideAll || this.#names.isSecret(pair[0])
        ? FILTERED
        : hideSecrets(pair[1], this.#names);
      if (hidden === pair[1]) continue;
      pair[1] = hidden;
      this.#note(pair[0]);
    }
  }

  #scrubFields(object: JsonObject, hideAll: boolean, skipped = NOTHING_SKIPPED): void {
    for (const name in object) {
      if (!skipped.has(name)) {
        this.#scrubField(object, name, hideAll || this.#names.isSecret(name));
      }
    }
  }

  #scrubArray(array: Json[], name: string, hideAll: boolean): void {
    for (let i = 0; i < array.length; i++) {
      const value = array[i];
      if (value !== undefined) array[i] = this.#scrubbed(value, name, hideAll);
    }
  }

  #scrubField(object: JsonObject, name: string, hideAll: boolean): void {
    const value = object[name];
    if (value === undefined) return;
    const result = this.#scrubbed(value, name, hideAll);
    if (result !== value) object[name] = result;
  }

  /** `value` without secrets; containers, which the parser keeps shallow, are edited in place. */
  #scrubbed(value: Json, name: string, hideAll: boolean): Json {
    switch (typeof value) {
      case "string": {
        const text = hideAll && value !== "" ? FILTERED : hideSecrets(value, this.#names);
        if (text !== value) this.#note(name);
        return text;
      }
      case "number": {
        const isHidden = hideAll || (value >= MIN_CARD && isCardNumber(String(value)));
        if (isHidden) this.#note(name);
        return isHidden ? FILTERED : value;
      }
      case "object":
        if (value === null) return value;
        if (Array.isArray(value)) this.#scrubArray(value, name, hideAll);
        else this.#scrubFields(value, hideAll);
        return value;
      default:
        // Whether there is a password is no secret.
        return value;
    }
  }

  #note(name: string): void {
    this.#count++;
    if (this.#fields.size < MAX_NOTED) {
      this.#fields.add(name === this.#part ? name : `${this.#part} · ${name.slice(0, 60)}`);
    }
  }
}

/** The declared shapes are JSON objects as well; their types only say more. */
function asJson(value: NormalizedEvent | Exception | Thread | Frame | RequestInfo): JsonObject {
  return value as unknown as JsonObject;
}
