/** Where clients are installed and kept, for all checkouts of this machine: what is made of the same files is made once. */
import { homedir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const CACHE = pathToFileURL(
  join(Deno.env.get("XDG_CACHE_HOME") ?? join(homedir(), ".cache"), "watchpost-tests/clients/"),
);

/** Is in a folder whose content is complete. */
const COMPLETE = ".complete";

/**
 * A folder of the cache, filled by the first that asks for it; others, in whatever process, wait for that.
 *
 * @param name says what is in it, version included
 * @param fill is run again when it failed
 */
export async function keptFolder(
  name: string,
  fill: (folder: URL) => Promise<void>,
): Promise<URL> {
  const folder = new URL(`${name}/`, CACHE);
  await Deno.mkdir(folder, { recursive: true });
  // Released by the system when a process ends.
  using lock = await Deno.open(new URL(`${name}.lock`, CACHE), { create: true, write: true });
  await lock.lock(true);
  const complete = new URL(COMPLETE, folder);
  if (!await isThere(complete)) {
    await fill(folder);
    await Deno.writeTextFile(complete, "");
  }
  return folder;
}

async function isThere(file: URL): Promise<boolean> {
  try {
    return (await Deno.stat(file)).isFile;
  } catch {
    return false;
  }
}
