import { replayInto } from "@/lib/ingest/replay.ts";
import { openSpool } from "@/lib/ingest/spool.ts";
import { openSeriesLimits } from "@/lib/metrics/series_limits.ts";
import { apiApp } from "./api_app.ts";
import { faultyLink } from "./faulty_link.ts";
import { silentLogger } from "./silent_logger.ts";
import { testIntake } from "./test_intake.ts";
import { testWriter } from "./writer.ts";

interface FaultyOptions {
  /** @default a megabyte */
  readonly spoolMaxBytes?: number;
  /** How many series there may be, of a metric and of a project. @default the product's */
  readonly series?: { readonly ofMetric: number; readonly ofProject: number };
  /** Whether what is looked up before the writer is away as well. @default false */
  readonly isAllAway?: boolean;
}

/** The intake with a spool, on a database that can go away. */
export async function faultyIntake({
  spoolMaxBytes = 1_000_000,
  series,
  isAllAway = false,
}: FaultyOptions = {}) {
  await using opened = new AsyncDisposableStack();
  const intake = opened.use(await testIntake());
  const { services } = intake;
  const { kv, objects, sql } = services;
  const link = opened.use(faultyLink(sql));
  const writer = opened.use(testWriter(link.sql, { timeoutMs: 300 }));
  const limitsOn = (at: typeof sql) =>
    series === undefined ? services.seriesLimits : openSeriesLimits(at, series);
  const replay = replayInto({
    ...services,
    writer,
    seriesLimits: limitsOn(sql),
    log: silentLogger,
  });
  const spool = openSpool({ kv, objects, log: silentLogger, maxBytes: spoolMaxBytes, replay });
  opened.defer(() => spool.close());
  // What still hangs on the link must not hold up the end of the test.
  opened.defer(() => link.resume());
  const send = apiApp({
    ...services,
    writer,
    spool,
    seriesLimits: limitsOn(link.sql),
    sql: isAllAway ? link.sql : sql,
  });
  const stores = opened.move();
  return {
    ...intake,
    link,
    send,
    aside: spool.aside,
    post: (body: string) => send(intake.path, { method: "POST", body, headers: intake.auth }),
    spooled: () => Array.fromAsync(objects.list("spool/")),
    [Symbol.asyncDispose]: () => stores.disposeAsync(),
  };
}
