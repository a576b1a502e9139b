import { startServer } from "../../support/server.ts";
import { ENVELOPE_BYTES } from "../payloads.ts";
import { makeProjects } from "../projects.ts";
import type { Bench, Figure } from "../table.ts";
import { prepareRequests, replay } from "../replay.ts";
import { errorRequest, mixedRequest } from "./requests.ts";

const QUIET_RATE = 100;
const LIMIT = 500;
const HAMMERED_RATE = 5 * LIMIT;
const ROUNDS = 3;
/** The hammering begins before and ends after what is measured. */
const MARGIN_SEC = 2;

/** What a project feels while another one of the same service is hammered at five times its limit. */
export async function benchIsolation({ databaseUrl, seconds }: Bench): Promise<Figure[]> {
  await using server = await startServer({
    DATABASE_URL: databaseUrl,
    LOG_FORMAT: "json",
    SERVICE_INGEST_RATE_PER_SEC: String(LIMIT),
  });
  const [quiet = "", hammered = ""] = await makeProjects(server, 2);
  const quietly = async () => {
    await using requests = await prepareRequests(QUIET_RATE * seconds * 2, mixedRequest);
    const load = { url: server.url, paths: [quiet], seconds, rate: QUIET_RATE, connections: 16 };
    return await replay(requests, load);
  };
  const besideHammering = async () => {
    const hammerSec = seconds + 2 * MARGIN_SEC;
    await using requests = await prepareRequests(
      HAMMERED_RATE * hammerSec * 1.2,
      (index) => errorRequest(index, ENVELOPE_BYTES),
    );
    const load = { url: server.url, paths: [hammered], seconds: hammerSec, rate: HAMMERED_RATE };
    const hammering = replay(requests, load);
    await new Promise((resolve) => setTimeout(resolve, MARGIN_SEC * 1_000));
    return { quiet: await quietly(), hammered: await hammering };
  };
  await quietly();
  const alone: number[] = [];
  const besides: number[] = [];
  const refusals: number[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    alone.push((await quietly()).p99Ms);
    const { quiet: beside, hammered: other } = await besideHammering();
    besides.push(beside.p99Ms);
    refusals.push(other.errors / (seconds + 2 * MARGIN_SEC));
  }
  const where = `at ${QUIET_RATE}/s`;
  return [
    { part: "isolation", figure: `p99 alone ${where}`, unit: "ms", ours: median(alone) },
    {
      part: "isolation",
      figure: `p99 ${where} beside one at ${HAMMERED_RATE}/s of ${LIMIT} allowed`,
      unit: "ms",
      ours: median(besides),
      limit: { name: "alone", value: median(alone) },
    },
    { part: "isolation", figure: "refused of the other", unit: "/s", ours: median(refusals) },
  ];
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;
}
