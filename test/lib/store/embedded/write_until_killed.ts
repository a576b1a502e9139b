/** Commits rows into the embedded Postgres of the folder it is given, and prints each number that is acknowledged. */
import { connectEmbedded } from "@/lib/store/database.ts";
import { openEmbeddedPostgres } from "@/lib/store/embedded/open.ts";
import { silentLogger } from "@/test/support/silent_logger.ts";

const [dir] = Deno.args;
// Without one the test runner was given this file among others: the working directory is no data folder.
if (dir !== undefined) await writeInto(dir);

async function writeInto(dir: string): Promise<never> {
  const { address } = await openEmbeddedPostgres(dir, silentLogger);
  const sql = connectEmbedded(address);
  await sql`create table if not exists numbers (number int not null)`;
  const [row] = await sql<
    { next: number }[]
  >`select coalesce(max(number), 0) + 1 as next from numbers`;
  const line = new TextEncoder();
  for (let number = row?.next ?? 1;; number++) {
    await sql`insert into numbers values (${number})`;
    await Deno.stdout.write(line.encode(`${number}\n`));
  }
}
