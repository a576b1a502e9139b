import { cp } from "node:fs/promises";
import { dirname, join } from "node:path";
import settings from "../../deno.json" with { type: "json" };
import { connectEmbedded } from "../../lib/store/database.ts";
import { openEmbeddedPostgres } from "../../lib/store/embedded/open.ts";
import { migrate } from "../../lib/store/migrate.ts";
import { hashOfMigrations } from "./migrations.ts";
import { silentLogger } from "./silent_logger.ts";
import { tempDir } from "./temp_dir.ts";

/** Most files have fewer tests with a database; each more costs every file a few milliseconds of copying. */
const SCHEMAS = 6;

/** Schemas of the template that have all migrations applied. */
export const MIGRATED_SCHEMAS: readonly string[] = Array.from(
  { length: SCHEMAS },
  (_, index) => `migrated_${index + 1}`,
);

/**
 * Puts a data directory of the embedded Postgres at `dir`, with `MIGRATED_SCHEMAS`. Making one takes seconds and
 * copying it milliseconds, so the first run on a machine leaves one among the temporary files.
 */
export async function copyTemplate(dir: string): Promise<void> {
  await cp(await ensureTemplate(), dir, { recursive: true });
}

async function ensureTemplate(): Promise<string> {
  const engine = settings.imports["@electric-sql/pglite"].split("@").at(-1);
  const version = `${engine}-${await hashOfMigrations()}-${SCHEMAS}`;
  await using scratch = await tempDir();
  const template = join(dirname(scratch.path), `watchpost-test-template-${version}-${Deno.uid()}`);
  if (await exists(template)) return template;
  await makeTemplate(scratch.join("postgres"));
  try {
    await Deno.rename(scratch.join("postgres"), template);
  } catch (error) {
    // Another process was faster.
    if (!await exists(template)) throw error;
  }
  return template;
}

async function makeTemplate(dir: string): Promise<void> {
  const server = await openEmbeddedPostgres(dir, silentLogger);
  for (const schema of MIGRATED_SCHEMAS) {
    const sql = connectEmbedded(server.address, schema);
    await sql`create schema ${sql(schema)}`;
    await migrate(sql, silentLogger);
    await sql.end();
  }
  await server.close();
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
