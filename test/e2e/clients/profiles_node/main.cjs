// Takes a profile of time and one of memory while it works, uploads both, and leaves them and the answers in OUT.
const { mkdirSync, writeFileSync } = require("node:fs");
const pprof = require("@datadog/pprof");

const { OUT, UPLOAD_URL, UPLOAD_KEY, TRACE_ID, SPAN_ID } = process.env;
const PROFILED_MS = 1_500;
const kept = [];

function priceOf(depth) {
  return depth < 2 ? depth : priceOf(depth - 1) + priceOf(depth - 2);
}

function sortRows(seed) {
  return Array.from({ length: 4_000 }, (_, at) => (at * 7919 + seed) % 4_001).sort((a, b) => b - a);
}

function keepCart(seed) {
  kept.push(sortRows(seed).map((value) => ({ value, name: `item ${value}` })));
  if (kept.length > 40) kept.splice(0, 20);
}

function serveOrders(milliseconds) {
  const end = Date.now() + milliseconds;
  for (let at = 0; Date.now() < end; at++) {
    priceOf(25);
    keepCart(at);
  }
}

/** As whoever uploads a profile does it: the body of the library's encoder, with the key as a bearer token. */
async function upload(name, profile, query) {
  const body = await pprof.encode(profile);
  writeFileSync(`${OUT}/${name}.pb.gz`, body);
  const parameters = new URLSearchParams({
    service: "shop-api",
    environment: "production",
    ...query,
  });
  const response = await fetch(`${UPLOAD_URL}?${parameters}`, {
    method: "POST",
    headers: { authorization: `Bearer ${UPLOAD_KEY}`, "content-type": "application/octet-stream" },
    body,
  });
  if (!response.ok) throw new Error(`${name}: ${response.status} ${await response.text()}`);
  writeFileSync(`${OUT}/${name}.json`, await response.text());
}

async function main() {
  mkdirSync(OUT, { recursive: true });
  pprof.heap.start(64 * 1024, 64);
  pprof.time.start({ intervalMicros: 5_000, withContexts: true, collectCpuTime: true });
  serveOrders(PROFILED_MS / 2);
  pprof.time.setContext({ trace_id: TRACE_ID, span_id: SPAN_ID });
  serveOrders(PROFILED_MS / 2);
  // Samples are kept until the event loop comes round.
  await new Promise((resolve) => setTimeout(resolve, 50));
  const labels = ({ context }) => context?.context ?? {};
  await upload("wall", pprof.time.stop(false, labels), { release: "shop@1.4.2" });
  await upload("heap", pprof.heap.profile(), { release: "shop@1.4.2" });
}

main();
