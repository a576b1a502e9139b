/** A Deno process of its own, for what only real processes show: locks, crashes. */
export interface Child extends AsyncDisposable {
  readonly pid: number;
  /** The next line of its output; null when there are no more. */
  line(): Promise<string | null>;
  /** Kills it, as a crash would, and waits for its end. */
  kill(): Promise<void>;
}

/**
 * Runs a module of this repository.
 *
 * @param module its address, usually `new URL("./child.ts", import.meta.url)`
 */
export function runChild(module: URL, args: string[] = []): Child {
  const process = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", module.href, ...args],
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const lines = linesOf(process.stdout);
  const kill = async () => {
    try {
      process.kill("SIGKILL");
    } catch {
      // Gone already.
    }
    await process.status;
    // Its end closes the stream.
    while (!(await lines.next()).done);
  };
  return {
    pid: process.pid,
    line: async () => {
      const { done, value } = await lines.next();
      return done ? null : value;
    },
    kill,
    [Symbol.asyncDispose]: kill,
  };
}

async function* linesOf(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<string, void> {
  let rest = "";
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}
