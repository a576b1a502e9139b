const ROOT = new URL("../../", import.meta.url);

interface Ended {
  readonly code: number;
  /** Both of its outputs. */
  readonly said: string;
}

/** Killed at disposal, when it still runs. */
interface RunningCommand extends AsyncDisposable {
  readonly ended: Promise<Ended>;
  /** SIGSTOP: it hangs, with all of its connections open. @returns what lets it go on */
  hang(): () => void;
  /** SIGKILL, unless it has ended. */
  kill(): Promise<Ended>;
}

type Program = "backup.ts" | "restore.ts" | "move.ts";
type Environment = Readonly<Record<string, string>>;

/** Starts one of the commands as an operator would. */
export function startCommand(
  program: Program,
  args: readonly string[],
  env: Environment,
): RunningCommand {
  const process = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", program, ...args],
    cwd: ROOT,
    env: { ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const ended = endOf(process);
  const kill = () => {
    try {
      process.kill("SIGKILL");
    } catch {
      // Gone already.
    }
    return ended;
  };
  return {
    ended,
    kill,
    hang() {
      process.kill("SIGSTOP");
      return () => process.kill("SIGCONT");
    },
    [Symbol.asyncDispose]: async () => void await kill(),
  };
}

/** Runs one of the commands to its end. */
export function command(
  program: Program,
  args: readonly string[],
  env: Environment,
): Promise<Ended> {
  return startCommand(program, args, env).ended;
}

async function endOf(process: Deno.ChildProcess): Promise<Ended> {
  const { code, stdout, stderr } = await process.output();
  return { code, said: [stdout, stderr].map((each) => new TextDecoder().decode(each)).join("\n") };
}
