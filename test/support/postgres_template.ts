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

/** What a service has after its first start. */
const SERVICE_SCHEMAS: readonly string[] = ["public"];

/**
 * Puts a data directory of the embedded Postgres at `dir`, with these schemas migrated. Making one takes seconds and
 * copying it milliseconds, so the first run on a machine leaves one among the temporary files.
 */
export async function copyTemplate(
  dir: string,
  schemas: readonly string[] = SERVICE_SCHEMAS,
): Promise<void> {
  await cp(await ensureTemplate(schemas), dir, { recursive: true });
}

async function ensureTemplate(schemas: readonly string[]): Promise<string> {
  const engine = settings.imports["@electric-sql/pglite"].split("@").at(-1);
  const kind = `${schemas[0]}-${schemas.length}`;
  const version = `${engine}-${await hashOfMigrations()}-${kind}`;
  await using scratch = await tempDir();
  const template = join(dirname(scratch.path), `watchpost-test-template-${version}-${Deno.uid()}`);
  if (await exists(template)) return template;
  await makeTemplate(scratch.join("postgres"), schemas);
  try {
    await Deno.rename(scratch.join("postgres"), template);
  } catch (error) {
    // Another process was faster.
    if (!await exists(template)) throw error;
  }
  return template;
}

async function makeTemplate(dir: string, schemas: readonly string[]): Promise<void> {
  const server = await openEmbeddedPostgres(dir, silentLogger);
  for (const schema of schemas) {
    const sql = connectEmbedded(server.address, { searchPath: schema });
    await sql`create schema if not exists ${sql(schema)}`;
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
