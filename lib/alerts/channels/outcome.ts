import type { Answer } from "../deliveries/delivery_queue.ts";

/** What came of one attempt to send a message. */
export type Outcome =
  | { readonly kind: "sent"; readonly answer: Answer }
  /** For good: another attempt would end the same way. */
  | { readonly kind: "refused"; readonly answer: Answer }
  /** To be tried again, after so many milliseconds at least when the receiver said so. */
  | { readonly kind: "failed"; readonly answer: Answer; readonly retryAfterMs: number | null }
  /** We stopped ourselves: as if it had not been tried. */
  | { readonly kind: "stopped" };
