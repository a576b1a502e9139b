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

/** Too many passwords wait to be hashed; the attempt should be repeated in a few seconds. */
export class HashingBusy extends Error {
  override name = "HashingBusy";
}
