/**
 * Customers' services: small programs that a stock SDK watches. Each prints `listening <url>`, answers
 * `GET /users/<number>` with a row out of a database after a log that "Stock is low", fails at `GET /fail` with
 * "Cannot charge order 4711", passes requests on to `BACK_URL` where it can, and sends what is left on SIGTERM.
 */
import { goClient, type Installed, nodeClient, pythonClient } from "./install.ts";

const HERE = new URL("./", import.meta.url);

/** What is to be run, and where. */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly directory: URL;
}

export interface Service extends AsyncDisposable {
  /** Without a slash at its end. */
  readonly url: string;
  /** Everything printed so far. */
  output(): string;
  /** Lets it send what it still has, and waits for its end. */
  stop(): Promise<void>;
}

/** A service in Node, or null after a line that says why not. */
export async function nodeService(folder: string): Promise<Program | null> {
  return programOf(await nodeClient(folder), "node", "main.cjs");
}

/**
 * A service in Python, or null after a line that says why not.
 *
 * @param launcher a script of the virtual environment that runs it instead of Python itself
 */
export async function pythonService(folder: string, launcher?: string): Promise<Program | null> {
  const client = await pythonClient(folder);
  return launcher === undefined
    ? programOf(client, "./venv/bin/python", "main.py")
    : programOf(client, `./venv/bin/${launcher}`, "venv/bin/python", "main.py");
}

/** A service in Go, or null after a line that says why not. */
export async function goService(folder: string): Promise<Program | null> {
  return programOf(await goClient(folder), "./failing");
}

/** A service in Deno, or null after a line that says why not. */
export async function denoService(folder: string): Promise<Program | null> {
  const directory = new URL(`${folder}/`, HERE);
  const options = ["--no-config", "--no-lock", "--node-modules-dir=none"];
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: ["cache", "--quiet", ...options, "main.mjs"],
    cwd: directory,
    stdout: "null",
    stderr: "null",
  }).output();
  if (!success) {
    console.warn(`skipped: the ${folder} client's packages cannot be fetched here`);
    return null;
  }
  return { command: Deno.execPath(), args: ["run", "-A", ...options, "main.mjs"], directory };
}

function programOf(client: Installed | null, command: string, ...args: string[]): Program | null {
  return client && { command, args, directory: client.directory };
}

/**
 * Starts a service and waits until it listens.
 *
 * @param env beside what this process has
 * @param urlIn finds its address in what it printed so far, or nothing
 * @throws {Error} with its output when it ends before
 */
export async function startService(
  { command, args, directory }: Program,
  env: Readonly<Record<string, string>>,
  urlIn: (output: string) => string | undefined = printedUrl,
): Promise<Service> {
  const process = new Deno.Command(pathOf(command, directory), {
    args: [...args],
    cwd: directory,
    env: { ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const { text, url, done } = watchOutput(process, urlIn);
  const stop = async () => {
    try {
      process.kill("SIGTERM");
    } catch {
      // Gone already.
    }
    await process.status;
    await done;
  };
  const found = await url;
  if (found === null) {
    await stop();
    throw new Error(`${command} ${args.join(" ")} does not listen:\n${text()}`);
  }
  return { url: found, output: text, stop, [Symbol.asyncDispose]: stop };
}

/** Runs a program to its end. @throws {Error} with its output when it fails */
export async function runProgram(
  { command, args, directory }: Program,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { success, stdout, stderr } = await new Deno.Command(pathOf(command, directory), {
    args: [...args],
    cwd: directory,
    env: { ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).output();
  if (success) return;
  const text = new TextDecoder().decode(stderr) + new TextDecoder().decode(stdout);
  throw new Error(`${command} ${args.join(" ")} failed: ${text.trim()}`);
}

function pathOf(command: string, directory: URL): string {
  return command.startsWith("./") ? new URL(command, directory).pathname : command;
}

function printedUrl(output: string): string | undefined {
  return /^listening (\S+)\n/m.exec(output)?.[1];
}

function watchOutput(
  process: Deno.ChildProcess,
  urlIn: (output: string) => string | undefined,
) {
  let all = "";
  const { promise: url, resolve } = Promise.withResolvers<string | null>();
  const drain = async (stream: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder();
    for await (const bytes of stream) {
      all += decoder.decode(bytes, { stream: true });
      const found = urlIn(all);
      if (found !== undefined) resolve(found);
    }
  };
  const done = Promise.all([drain(process.stdout), drain(process.stderr)]);
  done.finally(() => resolve(null));
  return { text: () => all, url, done };
}
