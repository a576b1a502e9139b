/** Locks the data folder it is given, says so, and keeps it until it is killed. */
import { lockDataDir } from "@/lib/server/data_lock.ts";

const [dataDir] = Deno.args;
// Without one the test runner was given this file among others: the working directory is no data folder.
if (dataDir !== undefined) {
  await lockDataDir(dataDir, "0.0.0.0:8000", "DATABASE_URL");
  await Deno.stdout.write(new TextEncoder().encode("locked\n"));
  setInterval(() => {}, 1_000_000);
}
