import { join } from "node:path";
import { startEngine } from "./engine.ts";
import { flush } from "./flush.ts";
import type { SocketAddress } from "./server.ts";

/**
 * Makes a database in a folder that is absent or empty. It takes seconds, in which the process may be killed and
 * the power may fail: so it is made beside, flushed, and appears under its name when complete.
 */
export async function initialise(dir: string, address: SocketAddress): Promise<void> {
  const unfinished = `${dir}.unfinished`;
  await removeIfPresent(unfinished, { recursive: true });
  await Deno.mkdir(unfinished, { recursive: true, mode: 0o700 });
  const engine = await startEngine(unfinished, address, { onDeath() {}, onTrouble() {} });
  await engine.stop();
  await flushTree(unfinished);
  await removeIfPresent(dir);
  await Deno.rename(unfinished, dir);
  flush(join(dir, ".."));
}

async function flushTree(path: string): Promise<void> {
  for await (const { name, isDirectory } of Deno.readDir(path)) {
    if (isDirectory) await flushTree(join(path, name));
    else flush(join(path, name));
  }
  flush(path);
}

/** Removes a file or a folder, which must be empty unless `recursive`. */
export async function removeIfPresent(
  path: string,
  options: Deno.RemoveOptions = {},
): Promise<void> {
  try {
    await Deno.remove(path, options);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}
