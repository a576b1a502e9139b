/** A right that a long answer needs all the time: who loses it hears the end of the answer within seconds. */

/** Five seconds are promised; the answer may be between two of its parts when the right goes. */
const ASK_AGAIN_MS = 2_000;

export interface HeldRight {
  /** Whether whoever asked may still have the answer; asks anew every other second, however often it is called. */
  isHeld(): Promise<boolean>;
}

/**
 * A right that was there a moment ago.
 *
 * @param ask whether it still is; throws, or answers false, when it is not, and also when nobody can tell
 * @param now milliseconds that never go back
 */
export function heldRight(
  ask: () => Promise<boolean>,
  now: () => number = () => performance.now(),
): HeldRight {
  let askedAt = now();
  let held = Promise.resolve(true);
  return {
    isHeld() {
      if (now() - askedAt >= ASK_AGAIN_MS) {
        askedAt = now();
        held = ask().catch(() => false);
      }
      return held;
    },
  };
}

/** The same answer as long as the right is held; a file that ends before its time is not taken for a whole one. */
export function whileHeld(response: Response, right: HeldRight): Response {
  if (response.body === null) return response;
  const body = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      async transform(part, controller) {
        if (await right.isHeld()) controller.enqueue(part);
        else controller.error(new Error("the right to this answer was lost"));
      },
    }),
  );
  return new Response(body, response);
}
