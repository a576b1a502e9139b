/**
 * Waits for a promise no longer than until the deadline. The promise itself goes on, its failure unnoticed.
 *
 * @param deadline on the clock of `performance.now()`, which never goes back
 * @throws what `late` makes, once the deadline has passed
 */
export async function withDeadline<T>(
  promise: Promise<T>,
  deadline: number,
  late: () => Error,
): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const alarm = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), Math.max(0, deadline - performance.now()));
  });
  try {
    return await Promise.race([promise, alarm]);
  } finally {
    clearTimeout(timer);
  }
}
