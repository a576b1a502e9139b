import { type Server, startServer } from "../support/server.ts";

/** Folders with the embedded KV and the objects, by the address of their database. */
const folders = new Map<string, string>();

/**
 * Starts the service by one or several isolates. Servers that follow one another on a database are one installation: a
 * database refuses stores of another one.
 */
export async function serveOn(databaseUrl: string, isolates: number): Promise<Server> {
  let dataDir = folders.get(databaseUrl);
  if (dataDir === undefined) {
    dataDir = await Deno.makeTempDir({ prefix: "watchpost-bench-" });
    folders.set(databaseUrl, dataDir);
  }
  const env = { DATABASE_URL: databaseUrl, LOG_FORMAT: "json" };
  return await startServer(
    env,
    { dataDir, env: {}, [Symbol.asyncDispose]: async () => {} },
    isolates,
  );
}

addEventListener("unload", () => {
  for (const folder of folders.values()) Deno.removeSync(folder, { recursive: true });
});
