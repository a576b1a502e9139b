/**
 * Measures the service on Postgres, driven by wrk, and prints one table of figures and ratios; judges nothing.
 *
 *   deno task bench [seconds] [errors] [mixed] [isolation] [bytes] [traces] [samples] [rest] [uploads] [merges] [leases]    all, unless named
 *   deno task bench --peers […]    also installs and runs other programs under the same load, in turns
 *   deno task bench quick          less than a minute; fails when a ratio has fallen by half, see `quick.ts`
 */
import { benchDatabase } from "./database.ts";
import { benchErrors } from "./errors.ts";
import { machineOf } from "./machine.ts";
import { benchLeases } from "./control/leases.ts";
import { benchAtRest } from "./metrics/at_rest.ts";
import { benchSamples } from "./metrics/ingest.ts";
import { benchIsolation } from "./mixed/isolation.ts";
import { benchMixed } from "./mixed/mixed.ts";
import { benchStoredBytes } from "./mixed/stored_bytes.ts";
import { benchMerges } from "./profiles/merges.ts";
import { benchUploads } from "./profiles/uploads.ts";
import { benchQuickly } from "./quick.ts";
import { type Bench, type Figure, tableOf } from "./table.ts";
import { benchTraces } from "./traces/ingest/ingest.ts";

const PARTS: Readonly<Record<string, (bench: Bench) => Promise<Figure[]>>> = {
  errors: benchErrors,
  mixed: benchMixed,
  isolation: benchIsolation,
  bytes: benchStoredBytes,
  traces: benchTraces,
  samples: benchSamples,
  rest: benchAtRest,
  uploads: benchUploads,
  merges: benchMerges,
  leases: benchLeases,
};

const seconds = Number(Deno.args.find((word) => /^\d+$/.test(word)) ?? 15);
const withPeers = Deno.args.includes("--peers");

if (Deno.args.includes("quick")) {
  await using database = await benchDatabase();
  const { figures, problems } = await benchQuickly(database.url);
  console.log(`${await machineOf(database.url)}\n\n${tableOf(figures)}`);
  for (const problem of problems) console.error(problem);
  Deno.exitCode = problems.length > 0 ? 1 : 0;
} else {
  await bench();
}

async function bench(): Promise<void> {
  const named = Object.keys(PARTS).filter((name) => Deno.args.includes(name));
  const figures: Figure[] = [];
  let machine = "";
  for (const name of named.length > 0 ? named : Object.keys(PARTS)) {
    console.error(`${name} …`);
    await using database = await benchDatabase();
    machine ||= await machineOf(database.url);
    figures.push(...await PARTS[name]?.({ databaseUrl: database.url, seconds, withPeers }) ?? []);
  }
  console.log(`${machine}; ${seconds} s each\n\n${tableOf(figures)}`);
}
