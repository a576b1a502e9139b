import { startServer } from "../../support/server.ts";
import { figure } from "../figures.ts";
import { ENVELOPE_BYTES } from "../payloads.ts";
import { makeProjects } from "../projects.ts";
import type { LoadResult } from "../wrk.ts";
import { prepareRequests, replay } from "../replay.ts";
import { errorRequest, mixedRequest } from "./requests.ts";

const QUIET_RATE = 100;
const LIMIT = 500;
const HAMMERED_RATE = 5 * LIMIT;
const ROUNDS = 3;
/** The hammering begins before and ends after what is measured. */
const MARGIN_SEC = 2;

/** What a project feels while another one of the same service is hammered at five times its limit. */
export async function benchIsolation(databaseUrl: string, seconds: number): Promise<void> {
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
  console.log(
    `\na project at ${QUIET_RATE} requests/s, another at ${HAMMERED_RATE} of ${LIMIT} allowed`,
  );
  await quietly();
  for (let round = 1; round <= ROUNDS; round++) {
    figure(`${round}: alone`, latency(await quietly()));
    const { quiet: beside, hammered: other } = await besideHammering();
    figure(`${round}: beside it`, latency(beside));
    const refused = other.errors / (seconds + 2 * MARGIN_SEC);
    figure(
      `${round}: the other`,
      `${Math.round(other.requestsPerSec)} requests/s, ${Math.round(refused)} of them refused`,
    );
  }
}

function latency({ p50Ms, p99Ms }: LoadResult): string {
  return `p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`;
}
