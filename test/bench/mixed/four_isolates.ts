import { freePort, type Server, startServer } from "../../support/server.ts";
import { serverStores } from "../../support/server_stores.ts";
import { waitFor } from "../../support/wait_for.ts";

const TOKEN = "bench-token-0123456789";

export interface ParallelWorld extends AsyncDisposable {
  readonly server: Server;
}

/** The service on four isolates, which needs `denokv` on the PATH and an S3 server; null without them. */
export async function fourIsolates(databaseUrl: string): Promise<ParallelWorld | null> {
  await using made = new AsyncDisposableStack();
  const stores = made.use(await serverStores());
  const kv = await startDenokv(stores.dataDir);
  if (kv === null || stores.env.S3_ENDPOINT === undefined) {
    console.log(
      "\nfour isolates: skipped; needs TEST_S3_ENDPOINT, and denokv (cargo install denokv)",
    );
    return null;
  }
  made.use(kv);
  const env = {
    DATABASE_URL: databaseUrl,
    DENO_KV_URL: kv.url,
    DENO_KV_ACCESS_TOKEN: TOKEN,
    LOG_FORMAT: "json",
  };
  const server = made.use(await startServer(env, stores, 4));
  const all = made.move();
  return { server, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

async function startDenokv(dir: string): Promise<AsyncDisposable & { url: string } | null> {
  const port = freePort();
  let process: Deno.ChildProcess;
  try {
    process = new Deno.Command("denokv", {
      args: ["--sqlite-path", `${dir}/shared.sqlite3`, "serve", "--addr", `127.0.0.1:${port}`],
      env: { DENO_KV_ACCESS_TOKEN: TOKEN },
      stdout: "null",
      stderr: "null",
    }).spawn();
  } catch {
    return null;
  }
  const url = `http://127.0.0.1:${port}`;
  await waitFor("denokv", async () => {
    try {
      await (await fetch(url)).body?.cancel();
      return true;
    } catch {
      return null;
    }
  });
  return {
    url,
    async [Symbol.asyncDispose]() {
      process.kill("SIGTERM");
      await process.status;
    },
  };
}
