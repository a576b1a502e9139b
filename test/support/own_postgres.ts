/** A Postgres cluster of a test's own, which it may stop and start as it likes. */
import { freePort } from "./server.ts";

export interface OwnPostgres extends AsyncDisposable {
  readonly url: string;
  start(): Promise<void>;
  /** At once, as a crash of the machine would; what was committed is safe. */
  stop(): Promise<void>;
}

/** The newest installed Postgres, or null after a line that says that there is none. */
export async function postgresBinDir(): Promise<string | null> {
  try {
    const versions = await Array.fromAsync(Deno.readDir("/usr/lib/postgresql"));
    const newest = versions.map(({ name }) => name).sort((a, b) => Number(b) - Number(a))[0];
    const directory = `/usr/lib/postgresql/${newest}/bin`;
    await Deno.stat(`${directory}/initdb`);
    return directory;
  } catch {
    console.warn("skipped: Postgres is not installed here, so none can be stopped under load");
    return null;
  }
}

/** A new, empty, running cluster. Postgres refuses to run as root: then it runs as the package's own user. */
export async function ownPostgres(binDir: string): Promise<OwnPostgres> {
  await using made = new AsyncDisposableStack();
  const directory = await Deno.makeTempDir({ prefix: "watchpost-own-postgres-" });
  made.defer(() => Deno.remove(directory, { recursive: true }));
  if (Deno.uid() === 0) await run("chown", ["postgres", directory]);
  const data = `${directory}/data`;
  await asPostgres(`${binDir}/initdb`, [
    "-D",
    data,
    "-U",
    "watchpost",
    "--auth=trust",
    "-E",
    "UTF8",
  ]);
  // Clients that call while it is stopped must not be answered by themselves, as they can be at a port of the system's.
  const port = freePort();
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -k ${directory}`;
  const start = () =>
    asPostgres(`${binDir}/pg_ctl`, [
      ..."-w -s start -l".split(" "),
      `${directory}/log`,
      "-D",
      data,
      "-o",
      options,
    ]);
  const stop = () =>
    asPostgres(`${binDir}/pg_ctl`, ["-w", "-s", "stop", "-m", "immediate", "-D", data]);
  await start();
  made.defer(() => stop().catch(() => {}));
  await run(`${binDir}/createdb`, [
    "-h",
    "127.0.0.1",
    "-p",
    String(port),
    "-U",
    "watchpost",
    "own",
  ]);
  const all = made.move();
  return {
    url: `postgres://watchpost@127.0.0.1:${port}/own`,
    start,
    stop,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

async function asPostgres(program: string, args: string[]): Promise<void> {
  if (Deno.uid() === 0) await run("runuser", ["-u", "postgres", "--", program, ...args]);
  else await run(program, args);
}

async function run(program: string, args: string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command(program, {
    args,
    cwd: "/tmp",
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).output();
  if (!success) throw new Error(`${program} failed: ${new TextDecoder().decode(stderr)}`);
}
