export type FetchProblem =
  | "bad_address"
  | "private_address"
  | "unknown_host"
  /** Nothing was sent. */
  | "no_connection"
  /** Whether it was taken is not known. */
  | "broken"
  | "tls"
  | "timeout"
  | "stopped";

/** No answer came. `message` is a sentence for whoever entered the address, without the address itself. */
export class FetchFailure extends Error {
  override name = "FetchFailure";

  constructor(readonly problem: FetchProblem, message: string, options?: ErrorOptions) {
    super(message, options);
  }
}
