/**
 * Makes the database of the embedded Postgres in an empty folder, as a program: `make_database.ts <folder>`. On failure
 * the reason stands on standard error.
 */
import { PGlite } from "@electric-sql/pglite";
import { DurableFiles, durableStartParams } from "./durable_files.ts";

const [dir = ""] = Deno.args;
/** Why Postgres gave up, in its own words. */
let lastWords = "";

try {
  const db = await PGlite.create({
    fs: new DurableFiles(dir, () => fail(lastWords)),
    onStderr(line) {
      if (/(?:FATAL|PANIC):/.test(line)) lastWords = line;
      return false;
    },
    startParams: durableStartParams(PGlite.defaultStartParams),
  });
  await db.close();
  Deno.exit(0);
} catch (error) {
  fail(lastWords || (error instanceof Error ? error.message : String(error)));
}

function fail(reason: string): never {
  Deno.stderr.writeSync(new TextEncoder().encode(`${reason}\n`));
  Deno.exit(1);
}
