/**
 * Counts the files that one warm request passes: an error on its way to its row, and the page of a transaction.
 *
 *   deno task walk [--list]
 */
import { ADMIN_TOKEN, freePort } from "../support/server.ts";
import { createKeys, type ProjectKeys } from "../support/api_client.ts";
import { envelopeUrl, errorEnvelope, post } from "../support/envelopes.ts";
import { waitFor } from "../support/wait_for.ts";

const ROOT = new URL("../../", import.meta.url);
const EMAIL = "admin@example.test";
const PASSWORD = "correct horse battery";
const WARM_REQUESTS = 3;

interface Debugger extends AsyncDisposable {
  /** Calls a method of the Chrome DevTools protocol. */
  call<T>(method: string, params?: unknown): Promise<T>;
}

interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[];
  }[];
}

async function openDebugger(port: number): Promise<Debugger> {
  const [target] = await waitFor("the debugger", async () => {
    const response = await fetch(`http://127.0.0.1:${port}/json`).catch(() => null);
    return response?.ok ? await response.json() as { webSocketDebuggerUrl: string }[] : null;
  });
  const socket = new WebSocket(target?.webSocketDebuggerUrl ?? "");
  await new Promise((resolve) => socket.addEventListener("open", resolve, { once: true }));
  const waiting = new Map<number, (result: unknown) => void>();
  socket.addEventListener("message", ({ data }) => {
    const { id, result } = JSON.parse(data);
    waiting.get(id)?.(result);
  });
  let last = 0;
  return {
    call: <T>(method: string, params: unknown = {}) => {
      const id = ++last;
      socket.send(JSON.stringify({ id, method, params }));
      return new Promise<T>((resolve) => waiting.set(id, resolve as (result: unknown) => void));
    },
    [Symbol.asyncDispose]: () => {
      socket.close();
      return Promise.resolve();
    },
  };
}

/** The product's files in which a function ran meanwhile; those of the stand-in for Fresh left out. */
async function filesOf(debug: Debugger, run: () => Promise<unknown>): Promise<string[]> {
  for (let i = 0; i < WARM_REQUESTS; i++) await run();
  await debug.call("Profiler.takePreciseCoverage");
  await run();
  const { result } = await debug.call<Coverage>("Profiler.takePreciseCoverage");
  return result
    .filter(({ functions }) => functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0))
    .map(({ url }) => url.replace(ROOT.href, ""))
    .filter((path) => /^(lib|routes|islands)\//.test(path) && !path.startsWith("lib/fresh/"))
    .sort();
}

function sendError({ serverDsn }: ProjectKeys): Promise<number> {
  return post(envelopeUrl(serverDsn), errorEnvelope().body);
}

function sendTransaction({ serverDsn }: ProjectKeys): Promise<number> {
  const now = Date.now() / 1000;
  const event = {
    event_id: crypto.randomUUID().replaceAll("-", ""),
    type: "transaction",
    transaction: "GET /cart",
    platform: "node",
    start_timestamp: now - 1,
    timestamp: now,
    contexts: { trace: { trace_id: "a".repeat(32), span_id: "b".repeat(16), op: "http.server" } },
    spans: [],
  };
  return post(
    envelopeUrl(serverDsn),
    [{}, { type: "transaction" }, event].map((line) => JSON.stringify(line)).join("\n"),
  );
}

async function signIn(url: string): Promise<string> {
  const response = await fetch(`${url}/sign-in`, {
    method: "POST",
    body: new URLSearchParams({ email: EMAIL, password: PASSWORD }),
    headers: { "sec-fetch-site": "same-origin" },
    redirect: "manual",
  });
  await response.body?.cancel();
  return response.headers.getSetCookie().map((cookie) => cookie.split(";")[0]).join("; ");
}

async function walk(url: string, debug: Debugger): Promise<void> {
  const project = await createKeys(url, ADMIN_TOKEN, "Walk");
  await sendTransaction(project);
  await debug.call("Profiler.enable");
  await debug.call("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  const cookie = await signIn(url);
  const page = `${url}/projects/${project.id}/transactions/summary?name=GET+/cart`;
  const walks = {
    "an error's way to its row": await filesOf(debug, () => sendError(project)),
    "the page of a transaction": await filesOf(debug, async () => {
      const response = await fetch(page, { headers: { cookie } });
      if (!(await response.text()).includes("GET /cart")) {
        throw new Error("The page is another one");
      }
    }),
  };
  for (const [name, files] of Object.entries(walks)) {
    console.log(`${name}: ${files.length} files`);
    if (Deno.args.includes("--list")) console.log(files.map((file) => `  ${file}`).join("\n"));
  }
}

const dir = await Deno.makeTempDir({ prefix: "watchpost-walk-" });
const [port, debugPort] = [freePort(), freePort()];
const url = `http://localhost:${port}`;
const service = new Deno.Command(Deno.execPath(), {
  args: ["run", "-A", `--inspect=127.0.0.1:${debugPort}`, "start.ts"],
  cwd: ROOT,
  env: {
    PORT: String(port),
    SERVICE_BASE_URL: url,
    SERVICE_DATA_DIR: dir,
    SERVICE_ADMIN_EMAIL: EMAIL,
    SERVICE_ADMIN_PASSWORD: PASSWORD,
    SERVICE_ADMIN_TOKEN: ADMIN_TOKEN,
  },
  stdout: "null",
  stderr: "null",
}).spawn();
try {
  await waitFor("the service", async () => {
    const response = await fetch(`${url}/readyz`).catch(() => null);
    await response?.body?.cancel();
    return response?.ok || null;
  }, 120_000);
  await using debug = await openDebugger(debugPort);
  await walk(url, debug);
} finally {
  service.kill("SIGTERM");
  await service.status;
  await Deno.remove(dir, { recursive: true });
}
