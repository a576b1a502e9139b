/**
 * What somebody entered cannot be taken. `message` is a sentence they can act on; forms show it at
 * the field, the API answers 400, or 409 when the value is `taken`.
 */
export class InvalidInput extends Error {
  override name = "InvalidInput";

  /**
   * @param field name of the form field or API property
   * @param message a whole sentence
   * @param reason `taken` when the value is fine but somebody else has it
   */
  constructor(
    readonly field: string,
    message: string,
    readonly reason: "invalid" | "taken" = "invalid",
  ) {
    super(message);
  }
}

/** An actor may not do what was asked; turned into a page or an API answer in one place each. */
export class Denied extends Error {
  override name = "Denied";

  constructor(readonly status: 401 | 403 | 404, message: string) {
    super(message);
  }
}

/** An actor must do something else first; pages lead there and back. */
export class Detour extends Denied {
  override name = "Detour";

  /** @param path of the page where it is done; it gets `next`, the way back */
  constructor(status: 401 | 403, message: string, readonly path: string) {
    super(status, message);
  }
}

/** Too many passwords wait to be hashed; the attempt should be repeated in a few seconds. */
export class HashingBusy extends Error {
  override name = "HashingBusy";
}

/** Postgres cannot take records now: the caller spools them, or asks its client to come again. */
export class StoreUnavailable extends Error {
  override name = "StoreUnavailable";
}

/** A request that trying again does not store, although Postgres is well: it is set aside for somebody to look at. */
export class Unstorable extends Error {
  override name = "Unstorable";

  /** @param code SQLSTATE, or `""` where the error is our own */
  constructor(readonly code: string) {
    super(`Cannot store: ${code === "" ? "an error of Watchpost" : `SQLSTATE ${code}`}`);
  }
}

/**
 * What a failed transaction says about what was in it:
 * `data`: a record is at fault, its neighbours are not · `statement`: the same again fails again, whatever the neighbours
 * do · `conflict`: the same again may succeed · `unavailable`: the store is away, overloaded or not set up.
 */
type Failure = "data" | "statement" | "conflict" | "unavailable";

// SQLSTATE classes: 21 cardinality, 22 data exception, 23 integrity, 54 program limit (an index row too long).
const DATA_ERROR = /^(?:21|22|23|54)/;
// 09 and 27 triggers, 0A not supported, 2F, 38, 39 and P0 functions, 42 names, rights and syntax, XX internal; the others
// of these are commands and cursors in a place where they cannot be.
const STATEMENT_ERROR = /^(?:03|09|0A|0[BFLPZ]|10|20|24|27|2[BDF]|34|38|39|3B|3F|42|P0|XX)/;
const LOST_WORKER =
  /^(?:failure on connection|terminating connection|connection to the remote node)/;
/** More parameters than the protocol counts: told by the driver. */
const MAX_PARAMETERS_EXCEEDED = "MAX_PARAMETERS_EXCEEDED";
const SERIALIZATION_FAILURE = "40001";
const DEADLOCK_DETECTED = "40P01";
const UNDEFINED_VALUE = "UNDEFINED_VALUE";

/** Classifies what `postgres` threw. Unknown errors count as `unavailable`, since that loses nothing. */
export function failureOf(error: unknown): Failure {
  const code = codeOf(error);
  if (code === SERIALIZATION_FAILURE || code === DEADLOCK_DETECTED) return "conflict";
  if (code === UNDEFINED_VALUE || DATA_ERROR.test(code)) return "data";
  // The connection has ended: poolers tell so with whatever code.
  if (isOf(error, "severity", /^(?:FATAL|PANIC)$/)) return "unavailable";
  // So does Citus of the one to a worker, as an internal error.
  if (isOf(error, "message", LOST_WORKER)) return "unavailable";
  // A prepared statement from before a migration: the driver has forgotten it now.
  if (isOf(error, "routine", /^RevalidateCachedQuery$/)) return "conflict";
  if (code === MAX_PARAMETERS_EXCEEDED || STATEMENT_ERROR.test(code)) return "statement";
  return code === "" && isBug(error) ? "statement" : "unavailable";
}

/** The SQLSTATE of what Postgres answered; `""` when it was something else that went wrong. */
export function sqlStateOf(error: unknown): string {
  const code = codeOf(error);
  // Those of the system, such as EPIPE, have no digit.
  return /^(?=.*\d)[0-9A-Z]{5}$/.test(code) ? code : "";
}

/** What only wrong code throws. */
function isBug(error: unknown): boolean {
  return error instanceof TypeError || error instanceof RangeError ||
    error instanceof ReferenceError || error instanceof SyntaxError;
}

function isOf(
  error: unknown,
  name: "message" | "severity" | "routine",
  values: RegExp,
): boolean {
  if (!(error instanceof Error)) return false;
  const value: unknown = Reflect.get(error, name);
  return typeof value === "string" && values.test(value);
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error) || !("code" in error)) return "";
  return typeof error.code === "string" ? error.code : "";
}

/** The text as Postgres can compare it: it refuses NUL, which a URL may carry and nothing stored has. */
export function storable(text: string): string {
  return text.replaceAll("\0", "");
}

/** JSON without the two escapes that Postgres refuses: NUL, and halves of surrogate pairs. */
export function storableJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /\\(?:u0000|ud[89a-f][0-9a-f]{2}|[^])/g,
    (escape) => /^\\u(?:0000|d)/.test(escape) ? "" : escape,
  );
}
