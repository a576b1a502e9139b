import { waitFor } from "./wait_for.ts";

/** Upstream Fresh keeps a process, for which nobody needs to wait; whatever else was told to end does so in that time. */
const OF_UPSTREAM_MS = 5_000;
const STAND_IN = new URL("../../lib/fresh/mod.ts", import.meta.url).href;

/**
 * Resolves when no process that this one has started is left. The bundler's helper ends by itself a moment after a
 * build; the leak sanitizers would blame the first test for it. That of upstream Fresh stays, which nobody is blamed
 * for. Where the kernel does not tell, resolves at once.
 */
export async function childrenEnded(): Promise<void> {
  const limitMs = import.meta.resolve("fresh") === STAND_IN ? undefined : OF_UPSTREAM_MS;
  const ended = waitFor("child processes to end", () => children() === "" || null, limitMs);
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
