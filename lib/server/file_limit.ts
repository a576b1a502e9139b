/** Where the system does not tell: what small systems allow. */
const ASSUMED_FILES = 4_096;

/** How many files, sockets among them, this process may have open at once. */
export function fileLimit(): number {
  try {
    return readFileLimit(Deno.readTextFileSync("/proc/self/limits"));
  } catch {
    return ASSUMED_FILES;
  }
}

/**
 * Reads the soft limit out of what Linux tells of a process.
 *
 * @param limits text of `/proc/<pid>/limits`
 */
export function readFileLimit(limits: string): number {
  const soft = /^Max open files\s+(\d+|unlimited)/m.exec(limits)?.[1];
  if (soft === "unlimited") return Infinity;
  return soft === undefined ? ASSUMED_FILES : Number(soft);
}
