/**
 * A watch over the largest regressions, short enough for every change. It says nothing of how fast a machine is: each
 * figure is a ratio to bare inserts that ran in between, and both are the best of a few turns, as whatever else a machine does
 * only makes them worse.
 */
import { bareInsert } from "./baseline.ts";
import { errorRequest, type MadeRequest } from "./mixed/requests.ts";
import { ENVELOPE_BYTES } from "./payloads.ts";
import { prepareRequests, type Replay, replay } from "./replay.ts";
import { serveOn } from "./serve_on.ts";
import { type Figure, rounded } from "./table.ts";
import { exportRequest, SPANS_PER_EXPORT } from "./traces/ingest/otlp_request.ts";
import { exportPaths, makeTargets, type Target } from "./traces/ingest/targets.ts";

const TURNS = 3;
const BARE_SEC = 0.7;
const LOAD_SEC = 2;
/** A ratio below this share of its reference is a regression that no noise explains. */
const LEAST_SHARE = 0.5;

/**
 * Ratios to the bare insert of errors, each on one isolate: of 2 cores shared with Postgres, wrk and other work, where they are
 * lowest (0.19 and 3.3 with the machine to itself). Written anew when something becomes faster on purpose.
 */
const REFERENCES = {
  errors: 0.14,
  spans: 1.6,
} as const;

/** Which part of the bench tells more. */
const PARTS: Readonly<Record<Name, string>> = {
  errors: "errors",
  spans: "traces",
};

type Name = keyof typeof REFERENCES;

interface Load {
  readonly unit: string;
  /** Things that count in a request. */
  readonly each: number;
  /** Prepared; more than answers come. */
  readonly maxRequestsPerSec: number;
  readonly make: (index: number) => MadeRequest;
  readonly sending: Pick<Replay, "paths" | "encoding" | "contentType" | "connections">;
}

/** Runs all in turns. @returns the figures, and a sentence for each that has fallen by half */
export async function benchQuickly(
  databaseUrl: string,
): Promise<{ figures: Figure[]; problems: string[] }> {
  await using bare = await bareInsert(databaseUrl);
  await using server = await serveOn(databaseUrl, 1);
  const loads = Object.entries(loadsOf(await makeTargets(server))) as [Name, Load][];
  const best = new Map<Name, number>();
  let most = 0;
  for (let turn = 0; turn <= TURNS; turn++) {
    for (const [name, load] of loads) {
      most = Math.max(most, await bare.run(BARE_SEC));
      const rate = await rateOf(load, server.url);
      // The first finds the service cold.
      if (turn > 0) best.set(name, Math.max(rate, best.get(name) ?? 0));
    }
  }
  const limit = { name: "bare insert", value: most };
  const figures = loads.map(([name, { unit }]): Figure => ({
    part: "quick",
    figure: `${name}, kept ratio ${REFERENCES[name]}`,
    unit,
    ours: best.get(name) ?? 0,
    limit,
  }));
  return { figures, problems: problemsOf(best, most) };
}

function loadsOf(targets: readonly Target[]): Readonly<Record<Name, Load>> {
  return {
    errors: {
      unit: "events/s",
      each: 1,
      maxRequestsPerSec: 6_000,
      make: (index) => errorRequest(index, ENVELOPE_BYTES, "plain"),
      sending: { paths: targets.map(({ envelopes }) => envelopes), encoding: "plain" },
    },
    spans: {
      unit: "spans/s",
      each: SPANS_PER_EXPORT,
      maxRequestsPerSec: 100,
      make: exportRequest,
      sending: {
        paths: exportPaths(targets),
        contentType: "application/x-protobuf",
        connections: 16,
      },
    },
  };
}

async function rateOf({ each, maxRequestsPerSec, make, sending }: Load, url: string) {
  await using requests = await prepareRequests(Math.ceil(LOAD_SEC * maxRequestsPerSec), make);
  const { requestsPerSec, errors } = await replay(requests, {
    ...sending,
    url,
    rate: 0,
    seconds: LOAD_SEC,
  });
  // What is refused is not stored.
  return Math.max(0, requestsPerSec - errors / LOAD_SEC) * each;
}

function problemsOf(best: ReadonlyMap<Name, number>, most: number): string[] {
  return (Object.entries(REFERENCES) as [Name, number][]).flatMap(([name, reference]) => {
    const ratio = (best.get(name) ?? 0) / most;
    if (ratio >= reference * LEAST_SHARE) return [];
    return [
      `${name}: ${rounded(ratio)} of the bare insert in the same run, less than half of the ` +
      `${reference} that test/bench/quick.ts keeps. Measure with \`deno task bench ${
        PARTS[name]
      }\`.`,
    ];
  });
}
