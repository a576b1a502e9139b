/**
 * Broken requests by the million at a running service: what answers come, how late, and what becomes of its memory.
 *
 *   deno run -A test/bench/fuzz.ts [requests]    1,000,000 unless said otherwise; needs Postgres as the bench does
 */
import fc from "fast-check";
import { ADMIN_TOKEN, startServer } from "../support/server.ts";
import { createKeys } from "../support/api_client.ts";
import { brokenRequest } from "../support/fuzz/broken_requests.ts";
import { residentMb } from "../support/resident_mb.ts";
import { benchDatabase } from "./database.ts";
import { figure } from "./figures.ts";

const REQUESTS = Number(Deno.args[0] ?? 1_000_000);
const CHUNK = 5_000;
const SENDERS = 12;
const MAX_MS = 100;
/** Above the limit a request is measured again by itself: others before it in the line are not its fault. */
const ATTEMPTS = 4;

type Broken = typeof brokenRequest extends fc.Arbitrary<infer T> ? T : never;

await using database = await benchDatabase();
await using server = await startServer({
  DATABASE_URL: database.url,
  SERVICE_INGEST_RATE_PER_SEC: "1000000",
  LOG_FORMAT: "json",
});
const { id, serverDsn } = await createKeys(server.url, ADMIN_TOKEN, "Fuzz");
const statuses = new Map<number, number>();
const slow: { ms: number; request: Broken }[] = [];
let slowest = 0;

for (let sent = 0; sent < REQUESTS; sent += CHUNK) {
  const queue = fc.sample(brokenRequest, Math.min(CHUNK, REQUESTS - sent));
  const suspects: Broken[] = [];
  await Promise.all(Array.from({ length: SENDERS }, async () => {
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      if (await send(next) > MAX_MS) suspects.push(next);
    }
  }));
  for (const request of suspects) {
    let fastest = Infinity;
    for (let i = 0; i < ATTEMPTS && fastest > MAX_MS; i++) {
      fastest = Math.min(fastest, await send(request));
    }
    slowest = Math.max(slowest, fastest);
    if (fastest > MAX_MS) slow.push({ ms: fastest, request });
  }
  if ((sent / CHUNK) % 10 === 0) {
    console.log(`${sent + CHUNK} sent, ${Math.round(await residentMb(server.pid))} MB`);
  }
}

const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) =>
  `${count} × ${status}`
);
figure("answers", counts.join(", "));
figure("slower than 100 ms by themselves", String(slow.length));
for (const { ms, request } of slow.slice(0, 5)) {
  console.log(ms, request.name, new TextDecoder().decode(request.body).slice(0, 500));
}

/** Sends it, and returns how many milliseconds the answer took. */
async function send({ name, body }: Broken): Promise<number> {
  const start = performance.now();
  const response = await fetch(
    `${server.url}/api/${id}/envelope/?sentry_key=${new URL(serverDsn).username}`,
    { method: "POST", body, headers: name === "" ? {} : { "content-encoding": name } },
  );
  await response.body?.cancel();
  statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
  return performance.now() - start;
}
