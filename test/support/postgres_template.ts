import { cp } from "node:fs/promises";
import { dirname, join } from "node:path";
import settings from "../../deno.json" with { type: "json" };
import { openEmbeddedPostgres } from "../../lib/store/embedded/open.ts";
import { silentLogger } from "./silent_logger.ts";
import { tempDir } from "./temp_dir.ts";

/**
 * Puts an initialised data directory of the embedded Postgres at `dir`. Making one takes seconds and copying it
 * milliseconds, so the first run on a machine leaves one among the temporary files.
 */
export async function copyTemplate(dir: string): Promise<void> {
  await cp(await ensureTemplate(), dir, { recursive: true });
}

async function ensureTemplate(): Promise<string> {
  const version = settings.imports["@electric-sql/pglite"].split("@").at(-1);
  await using scratch = await tempDir();
  const template = join(dirname(scratch.path), `watchpost-test-template-${version}-${Deno.uid()}`);
  if (await exists(template)) return template;
  const server = await openEmbeddedPostgres(scratch.join("postgres"), silentLogger);
  await server.close();
  try {
    await Deno.rename(scratch.join("postgres"), template);
  } catch (error) {
    // Another process was faster.
    if (!await exists(template)) throw error;
  }
  return template;
}

async function exists(path: string): Promise<boolean> {
  try {
    await Deno.lstat(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
