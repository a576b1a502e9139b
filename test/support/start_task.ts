import settings from "../../deno.json" with { type: "json" };

/** How `deno task start` starts: all that who starts `start.ts` by another command has to do as well. */
export interface StartTask {
  readonly env: Readonly<Record<string, string>>;
  /** What stands between `deno run` and the program. */
  readonly flags: readonly string[];
  readonly program: string;
}

/** @throws {Error} when the task is no longer one call of `deno run` with some variables before it */
export function startTask(): StartTask {
  const words = settings.tasks.start.command.split(" ");
  const at = words.indexOf("deno");
  const program = words.at(-1);
  if (words[at + 1] !== "run" || program === undefined) throw new Error("start is no `deno run`");
  return {
    env: Object.fromEntries(words.slice(0, at).map((word) => word.split("="))),
    flags: words.slice(at + 2, -1),
    program,
  };
}

/** The variables that Deno and the C library read, which may stand beside settings. */
export const RUNTIME_VARIABLES = [
  "DENO_DIR",
  "DENO_NO_UPDATE_CHECK",
  "MALLOC_ARENA_MAX",
  "MALLOC_TRIM_THRESHOLD_",
];
