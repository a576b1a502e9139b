/**
 * Asks again until there is an answer: the way tests wait for a condition instead of sleeping.
 *
 * @param probe returns undefined or null while the condition does not hold
 * @throws {Error} that names `what` after `limitMs`: long, since only a fault or a busy machine ever waits for it
 */
export async function waitFor<T>(
  what: string,
  probe: () => T | null | undefined | Promise<T | null | undefined>,
  limitMs = 30_000,
): Promise<T> {
  const deadline = Date.now() + limitMs;
  while (Date.now() < deadline) {
    const found = await probe();
    if (found !== null && found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`Waited ${limitMs} ms in vain for ${what}`);
}
