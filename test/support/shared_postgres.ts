import { dirname, join } from "node:path";
import { type EmbeddedPostgres, openEmbeddedPostgres } from "../../lib/store/embedded/open.ts";
import { copyTemplate, migratedSchemas } from "./postgres_template.ts";
import { silentLogger } from "./silent_logger.ts";

/** An embedded Postgres that lives until the test file ends. */
export interface SharedPostgres {
  readonly address: EmbeddedPostgres["address"];
  /** Schemas in it that nobody used yet, with all migrations applied: for most files one a test. */
  readonly unused: string[];
}

export async function startSharedPostgres(): Promise<SharedPostgres> {
  const dir = await Deno.makeTempDir({ prefix: "watchpost-test-postgres-" });
  const schemas = migratedSchemas(await testsOfFile());
  await copyTemplate(join(dir, "postgres"), schemas);
  const { address } = await openEmbeddedPostgres(join(dir, "postgres"), silentLogger);
  addEventListener("unload", () => {
    Deno.removeSync(dir, { recursive: true });
    if (address.transport === "unix") Deno.removeSync(dirname(address.path), { recursive: true });
  });
  return { address, unused: [...schemas] };
}

/** Tests that a loop makes, as a rule. */
const PER_LOOP = 6;

/** About how many tests the file that runs has, by its text: those within blocks are made by loops. */
async function testsOfFile(): Promise<number> {
  const text = await Deno.readTextFile(new URL(Deno.mainModule));
  const calls = text.match(/^[ ]*Deno\.test\(/gm) ?? [];
  const inLoops = calls.filter((call) => call.trimStart() !== call).length;
  return calls.length + inLoops * (PER_LOOP - 1);
}
