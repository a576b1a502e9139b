import type { ProbeProblem } from "./result.ts";

/** A check came to an end that is not "up". `message` is the sentence that is shown. */
export class ProbeFailure extends Error {
  override name = "ProbeFailure";

  constructor(readonly kind: ProbeProblem, message: string, options?: ErrorOptions) {
    super(message, options);
  }
}
