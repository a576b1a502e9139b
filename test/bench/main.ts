/**
 * Measures the service on Postgres, driven by wrk. Prints figures and ratios; judges nothing.
 *
 *   deno task bench [seconds] [errors] [mixed] [isolation] [bytes] [traces] [uploads] [merges]    all, unless named
 */
import { benchDatabase } from "./database.ts";
import { benchErrors } from "./errors.ts";
import { benchIsolation } from "./mixed/isolation.ts";
import { benchMixed } from "./mixed/mixed.ts";
import { benchStoredBytes } from "./mixed/stored_bytes.ts";
import { benchMerges } from "./profiles/merges.ts";
import { benchUploads } from "./profiles/uploads.ts";
import { benchTraces } from "./traces/ingest/ingest.ts";

const PARTS: Readonly<Record<string, (databaseUrl: string, seconds: number) => Promise<void>>> = {
  errors: benchErrors,
  mixed: benchMixed,
  isolation: benchIsolation,
  bytes: benchStoredBytes,
  traces: benchTraces,
  uploads: benchUploads,
  merges: benchMerges,
};

const seconds = Number(Deno.args.find((word) => /^\d+$/.test(word)) ?? 15);
const named = Object.keys(PARTS).filter((name) => Deno.args.includes(name));
for (const name of named.length > 0 ? named : Object.keys(PARTS)) {
  await using database = await benchDatabase();
  await PARTS[name]?.(database.url, seconds);
}
