import { waitFor } from "./wait_for.ts";

/**
 * Resolves when no process that this one has started is left. The bundler's helper ends by itself a moment after a
 * build; the leak sanitizers would blame the first test for it. Where the kernel does not tell, resolves at once.
 */
export async function childrenEnded(): Promise<void> {
  await waitFor("child processes to end", () => children() === "" || null);
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
