/** Something took longer than it may. */
export class TimeLimitExceeded extends Error {
  override name = "TimeLimitExceeded";
}

/**
 * Resolves or rejects as `work` does, unless that takes too long. The work itself goes on: calls of Deno KV, for
 * one, cannot be stopped and wait for ever while their server is away.
 *
 * @param limitMs time to wait, in milliseconds
 * @throws {TimeLimitExceeded}
 */
export async function withTimeLimit<T>(work: Promise<T>, limitMs: number): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new TimeLimitExceeded(`No answer within ${limitMs / 1_000} s`)),
    limitMs,
  );
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
