const MAX_ATTEMPTS = 30;
const MAX_PAUSE_MS = 40;

/** What an attempt returns when another writer changed what it had read. */
export const conflict = Symbol("conflict");

/**
 * Repeats a read-check-write until it commits, with growing random pauses between the attempts.
 *
 * @param what the action in words, for the error: `create the project`
 * @param attempt reads, then commits with checks; returns `conflict` when the commit was refused
 * @throws {Error} after 30 attempts that all met other writers
 */
export async function untilCommitted<T>(
  what: string,
  attempt: () => Promise<T | typeof conflict>,
): Promise<T> {
  for (let tried = 1; tried <= MAX_ATTEMPTS; tried++) {
    const result = await attempt().catch(conflictWhenLocked);
    if (result !== conflict) return result;
    await pause(Math.random() * Math.min(2 ** tried, MAX_PAUSE_MS));
  }
  throw new Error(`Cannot ${what}: other writers were faster ${MAX_ATTEMPTS} times`);
}

/** SQLite answers so, without having changed anything, while another process writes to the same file. */
function conflictWhenLocked(error: unknown): typeof conflict {
  if (error instanceof TypeError && error.message.includes("database is locked")) return conflict;
  throw error;
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
