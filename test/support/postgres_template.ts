import { cp } from "node:fs/promises";
import { dirname, join } from "node:path";
import settings from "../../deno.json" with { type: "json" };
import { connectEmbedded } from "../../lib/store/database.ts";
import { openEmbeddedPostgres } from "../../lib/store/embedded/open.ts";
import { migrate } from "../../lib/store/migrate.ts";
import { hashOfMigrations } from "./migrations.ts";
import { silentLogger } from "./silent_logger.ts";
import { tempDir } from "./temp_dir.ts";

/** Schemas of the templates: one too few costs a file most of a second, one too many some milliseconds of copying. */
const SIZES = [2, 6, 12, 24];

/** The smallest template that has so many schemas with all migrations applied, otherwise the largest. */
export function migratedSchemas(count: number): readonly string[] {
  const size = SIZES.find((size) => size >= count) ?? Math.max(...SIZES);
  return Array.from({ length: size }, (_, index) => `migrated_${index + 1}`);
}

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
  const smaller = SIZES.findLast((size) => size < schemas.length) ?? 0;
  if (smaller > 0) await copyTemplate(dir, schemas.slice(0, smaller));
  const server = await openEmbeddedPostgres(dir, silentLogger);
  for (const schema of schemas.slice(smaller)) {
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
