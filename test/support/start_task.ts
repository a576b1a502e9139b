import { SETTING_NAMES } from "@/lib/core/config.ts";
import settings from "../../deno.json" with { type: "json" };

/** How a task starts: all that who starts `start.ts` by another command has to do as well. */
export interface StartTask {
  readonly env: Readonly<Record<string, string>>;
  /** What stands between `deno run` and the program. */
  readonly flags: readonly string[];
  readonly program: string;
}

/**
 * Reads `deno task start`, or the one for a Postgres that is another process.
 *
 * @throws {Error} when the task is no longer one call of `deno run` with some variables before it
 */
export function startTask(name: "start" | "start:postgres" = "start"): StartTask {
  const words = settings.tasks[name].command.split(" ");
  const at = words.indexOf("deno");
  const program = words.at(-1);
  if (words[at + 1] !== "run" || program === undefined) throw new Error("start is no `deno run`");
  return {
    env: Object.fromEntries(words.slice(0, at).map((word) => word.split(/=(.*)/, 2))),
    flags: words.slice(at + 2, -1),
    program,
  };
}

/** The variables that Deno and the C library read, which may stand beside settings. */
const RUNTIME_VARIABLES = [
  "DENO_DIR",
  "DENO_NO_UPDATE_CHECK",
  "DENO_V8_FLAGS",
  "MALLOC_ARENA_MAX",
  "MALLOC_TRIM_THRESHOLD_",
];

/** Whether anybody reads this variable of an environment. */
export function isRead(name: string): boolean {
  return SETTING_NAMES.includes(name) || RUNTIME_VARIABLES.includes(name);
}
