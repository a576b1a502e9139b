/**
 * Bytes that are no profile, or one larger than any that is taken. The message says what is wrong and where, begins
 * small and has no full stop: `sample 17 refers to location 99, which is not in the profile`.
 */
export class PprofError extends Error {
  override readonly name = "PprofError";

  constructor(message: string, readonly kind: "invalid" | "too_large" = "invalid") {
    super(message);
  }
}
