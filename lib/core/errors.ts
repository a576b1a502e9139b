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

/**
 * What a failed transaction says about what was in it:
 * `data`: a record is at fault, its neighbours are not · `conflict`: the same again may succeed ·
 * `unavailable`: the store is away, overloaded or not set up.
 */
type Failure = "data" | "conflict" | "unavailable";

// SQLSTATE classes: 21 cardinality, 22 data exception, 23 integrity, 54 program limit (an index row too long).
const DATA_ERROR = /^(?:21|22|23|54)/;
const SERIALIZATION_FAILURE = "40001";
const DEADLOCK_DETECTED = "40P01";
const UNDEFINED_VALUE = "UNDEFINED_VALUE";

/** Classifies what `postgres` threw. Unknown errors count as `unavailable`, since that loses nothing. */
export function failureOf(error: unknown): Failure {
  const code = codeOf(error);
  if (code === SERIALIZATION_FAILURE || code === DEADLOCK_DETECTED) return "conflict";
  if (code === UNDEFINED_VALUE || DATA_ERROR.test(code)) return "data";
  return "unavailable";
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error) || !("code" in error)) return "";
  return typeof error.code === "string" ? error.code : "";
}

/** The text as Postgres can compare it: it refuses NUL, which a URL may carry and nothing stored has. */
export function storable(text: string): string {
  return text.replaceAll("\0", "");
}
