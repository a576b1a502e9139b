/** A `denokv` server of a test's own: the KV that several instances share. */
import { join } from "node:path";
import { freePort } from "./server.ts";
import { waitFor } from "./wait_for.ts";

const SCRIPT = new URL("./denokv.sh", import.meta.url);

/** Where the program is, or null after a line that says that it is not there. */
export async function findDenoKv(): Promise<string | null> {
  const { success, stdout } = await new Deno.Command("bash", {
    args: [SCRIPT.pathname, "find"],
    stdin: "null",
    stderr: "null",
  }).output();
  if (success) return new TextDecoder().decode(stdout).trim();
  console.warn("skipped: denokv is not built (test/support/denokv.sh build)");
  return null;
}

export interface DenoKvServer extends AsyncDisposable {
  /** Settings that lead to it. */
  readonly env: Readonly<Record<"DENO_KV_URL" | "DENO_KV_ACCESS_TOKEN", string>>;
}

/** A new, empty one. @param program as `findDenoKv()` tells it */
export async function startDenoKv(program: string): Promise<DenoKvServer> {
  const dir = await Deno.makeTempDir({ prefix: "watchpost-denokv-" });
  const port = freePort();
  const token = crypto.randomUUID();
  const process = new Deno.Command(program, {
    args: ["--sqlite-path", join(dir, "kv.sqlite3"), "serve", "--addr", `127.0.0.1:${port}`],
    env: { DENO_KV_ACCESS_TOKEN: token, RUST_LOG: "error" },
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  await waitFor("denokv", () => isOpen(port));
  return {
    env: { DENO_KV_URL: `http://127.0.0.1:${port}`, DENO_KV_ACCESS_TOKEN: token },
    async [Symbol.asyncDispose]() {
      process.kill("SIGKILL");
      await process.status;
      await Deno.remove(dir, { recursive: true });
    },
  };
}

async function isOpen(port: number): Promise<true | null> {
  try {
    (await Deno.connect({ hostname: "127.0.0.1", port })).close();
    return true;
  } catch {
    return null;
  }
}
