import { waitFor } from "./wait_for.ts";

/** Long for a process that was told to end, short for whoever waits on upstream Fresh. */
const LIMIT_MS = 5_000;

/**
 * Resolves when no process that this one has started is left. The bundler's helper ends by itself a moment after a
 * build; the leak sanitizers would blame the first test for it. That of upstream Fresh stays, which nobody is blamed
 * for. Where the kernel does not tell, resolves at once.
 */
export async function childrenEnded(): Promise<void> {
  const ended = waitFor("child processes to end", () => children() === "" || null, LIMIT_MS);
  await ended.catch(() => {});
  // The runtime hears of an end one turn of the event loop after the kernel has forgotten the process.
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setTimeout(resolve));
}

function children(): string {
  try {
    const threads = [...Deno.readDirSync("/proc/self/task")];
    return threads.map(({ name }) => Deno.readTextFileSync(`/proc/self/task/${name}/children`))
      .join("");
  } catch {
    return "";
  }
}
