/** A Watchpost process of its own, as a user starts it, for tests that need real processes. */
import { createKeys, type ProjectKeys } from "./api_client.ts";
import { type ServerStores, serverStores } from "./server_stores.ts";
import { startTask } from "./start_task.ts";
import { trustingFetch } from "./trusting_fetch.ts";
import { waitFor } from "./wait_for.ts";

const ROOT = new URL("../../", import.meta.url);
/** Who runs the instance. */
const ADMIN = { email: "admin@example.test", password: "correct horse battery" };

/** Signs in as the administrator, when it is sent to `/sign-in` of a server. @param url of the server */
export function adminSignIn(url: string): RequestInit {
  return {
    method: "POST",
    redirect: "manual",
    headers: { origin: url },
    body: new URLSearchParams({ ...ADMIN, next: "" }),
  };
}

const START_LIMIT_MS = 60_000;
/** `TEST_ISOLATES=2` runs all that drives a whole process on two isolates. */
const DEFAULT_ISOLATES = Number(Deno.env.get("TEST_ISOLATES") ?? 1);
export const ADMIN_TOKEN = "test-admin-token-0123456789";

interface ServerPlace {
  /** How many files it may have open, when not as many as this process. */
  readonly files?: number;
  /** Of its certificate, when the settings name one. */
  readonly ca?: string | undefined;
  /** Folder of the code that runs. @default this one */
  readonly root?: URL;
}

export interface Server extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  /** Everything printed so far. */
  output(): string;
  /** A new project with the DSNs of its two keys. */
  createProject(name: string, platform?: string): Promise<ProjectKeys>;
  /** SIGTERM; resolves to the exit code. */
  stop(): Promise<number>;
  /** SIGKILL, as a crash would. */
  kill(): Promise<void>;
  /** SIGSTOP: it hangs, with all of its connections open. @returns what lets it go on */
  hang(): () => void;
}

/**
 * Starts the service on a free port and waits until it is ready.
 *
 * @param env settings beside those that tests always want
 * @param stores what an earlier process left, to start again on it; kept on disposal. Fresh ones otherwise
 * @param isolates by how many it serves, all of which are there when this resolves
 * @throws {Error} with the process's output when it does not become ready
 */
export async function startServer(
  env: Record<string, string> = {},
  stores?: ServerStores,
  isolates = DEFAULT_ISOLATES,
  { files, ca, root = ROOT }: ServerPlace = {},
): Promise<Server> {
  const { dataDir, env: storeEnv, [Symbol.asyncDispose]: dispose } = stores ?? await serverStores();
  const port = freePort();
  const url = `${ca === undefined ? "http://localhost" : "https://127.0.0.1"}:${port}`;
  const isOnPostgres = (env.DATABASE_URL ?? storeEnv.DATABASE_URL ?? "") !== "";
  const task = startTask(isOnPostgres ? "start:postgres" : "start");
  const args = ["run", ...task.flags, task.program];
  const limited = ["-c", `ulimit -n ${files} && exec "$0" "$@"`, Deno.execPath(), ...args];
  const process = new Deno.Command(files === undefined ? Deno.execPath() : "sh", {
    args: files === undefined ? args : limited,
    cwd: root,
    env: {
      ...task.env,
      PORT: String(port),
      HOST: "127.0.0.1",
      SERVICE_BASE_URL: url,
      SERVICE_DATA_DIR: dataDir,
      SERVICE_ADMIN_EMAIL: ADMIN.email,
      SERVICE_ADMIN_PASSWORD: ADMIN.password,
      SERVICE_ADMIN_TOKEN: ADMIN_TOKEN,
      SERVICE_ISOLATES: String(isolates),
      ...storeEnv,
      ...env,
    },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const output = collect(process);
  await ready(url, process, output, ca);
  if (isolates > 1) {
    await waitFor(
      "all isolates",
      () => output.text().includes("serving on all isolates") || null,
      START_LIMIT_MS,
    );
  }

  const end = async (signal: Deno.Signal) => {
    try {
      process.kill(signal);
      // One that hangs heeds nothing else before.
      process.kill("SIGCONT");
    } catch {
      // Gone already.
    }
    const { code } = await process.status;
    await output.done;
    return code;
  };
  return {
    url,
    pid: process.pid,
    output: output.text,
    createProject: (name, platform) => createKeys(url, ADMIN_TOKEN, name, platform),
    stop: () => end("SIGTERM"),
    kill: async () => void await end("SIGKILL"),
    hang() {
      process.kill("SIGSTOP");
      return () => process.kill("SIGCONT");
    },
    async [Symbol.asyncDispose]() {
      await end("SIGTERM");
      if (stores === undefined) await dispose();
    },
  };
}

/**
 * Ports that systems give to no connection by themselves, which they do with any that was let go: Linux begins at 32,768,
 * others later. Browsers refuse some below.
 */
const PORTS = { from: 20_000, to: 32_000 };

/** A port that was free a moment ago, and that nobody gets by chance. */
export function freePort(): number {
  while (true) {
    const port = PORTS.from + Math.floor(Math.random() * (PORTS.to - PORTS.from));
    try {
      Deno.listen({ hostname: "127.0.0.1", port }).close();
      return port;
    } catch (error) {
      if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    }
  }
}

interface Output {
  text(): string;
  readonly done: Promise<unknown>;
}

function collect(process: Deno.ChildProcess): Output {
  const chunks: string[] = [];
  const drain = async (stream: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder();
    for await (const bytes of stream) chunks.push(decoder.decode(bytes, { stream: true }));
  };
  return {
    text: () => chunks.join(""),
    done: Promise.all([drain(process.stdout), drain(process.stderr)]),
  };
}

async function ready(
  url: string,
  process: Deno.ChildProcess,
  output: Output,
  ca?: string,
): Promise<void> {
  using ask = trustingFetch(ca);
  let exited = false;
  process.status.then(() => exited = true);
  const deadline = Date.now() + START_LIMIT_MS;
  while (Date.now() < deadline && !exited) {
    try {
      const response = await ask(`${url}/readyz`);
      await response.body?.cancel();
      if (response.ok) return;
    } catch {
      // Not listening yet.
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  if (!exited) process.kill("SIGKILL");
  await output.done;
  throw new Error(`Server did not become ready:\n${output.text()}`);
}
