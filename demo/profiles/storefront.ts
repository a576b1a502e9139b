/** Profiles of the Node storefront by `@datadog/pprof`: a minute of every ten, samples of traces labelled with them. */
import type { PprofLabel } from "../../lib/formats/pprof/encode.ts";
import type { Random } from "../story.ts";
import type { Trace } from "../traces/history.ts";
import { type Segment, segmentsOf } from "../traces/scene.ts";
import { releaseOf } from "../traces/services.ts";
import {
  type Call,
  call,
  nanosOf,
  PprofStacks,
  sampled,
  stacksOf,
  type Upload,
  type WeightedStack,
} from "./upload.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const EVERY_MS = 10 * MINUTE_MS;
/** Long enough for the release before the newest. */
const PROFILED_MS = 1.8 * DAY_MS;
const PERIOD = 10_000_000n;
/** Samples of a minute in which somebody waits for nothing, all requests together. */
const BUSY = 900;
/** Of the time that a request takes, what it runs itself. */
const RUNNING = 0.35;
const WALL = { type: "wall", unit: "nanoseconds" };

/** What the storefront did in one trace. */
interface Served {
  readonly traceId: string;
  readonly segment: Segment;
}

/** All of them up to `now`, oldest first. */
export function storefrontUploads(
  random: Random,
  now: Date,
  traces: readonly Trace[],
): Upload[] {
  const served = traces.filter(({ scene }) => scene.environment === "production").flatMap(
    ({ traceId, root }) =>
      segmentsOf(root).filter(({ entry }) => entry.service === "storefront")
        .map((segment): Served => ({ traceId, segment })),
  );
  const count = Math.floor(PROFILED_MS / EVERY_MS);
  return Array.from({ length: count }, (_, index) => {
    const at = new Date(now.getTime() - (count - index) * EVERY_MS);
    const inside = served.filter(({ segment: { root } }) =>
      root.start * 1000 >= at.getTime() && root.end * 1000 <= at.getTime() + MINUTE_MS
    );
    return minute(random, now, at, inside);
  });
}

function minute(random: Random, now: Date, at: Date, inside: readonly Served[]): Upload {
  const release = releaseOf("storefront", "production", (now.getTime() - at.getTime()) / DAY_MS);
  const instance = inside[0]?.segment.entry.server ?? `storefront-${random.integer(1, 4)}`;
  const profile = new PprofStacks({
    sampleTypes: [
      { type: "sample", unit: "count" },
      WALL,
      { type: "cpu", unit: "nanoseconds" },
    ],
    timeNanos: nanosOf(at),
    durationNanos: 60_000_000_000n,
    periodType: WALL,
    period: PERIOD,
  }, "/usr/local/bin/node");
  const add = (
    stacks: readonly WeightedStack[],
    times: number,
    labels: readonly PprofLabel[] = [],
  ) => {
    for (const [{ frames }, found] of sampled(stacks, Math.round(times), random)) {
      const wall = BigInt(found) * PERIOD;
      const cpu = frames[0]?.name === "(idle)" ? 0n : wall * 97n / 100n;
      profile.add(frames, [BigInt(found), wall, cpu], labels);
    }
  };
  for (const endpoint of ENDPOINT_NAMES) {
    const stacks = endpointStacks(endpoint, release);
    // What takes longer is found more often.
    const weight = stacks.reduce((sum, stack) => sum + stack.weight, 0);
    add(stacks, BUSY * weight / 500 * random.around(1, 0.15), endpointLabels(endpoint));
  }
  for (const { traceId, segment: { root } } of inside) {
    const seconds = root.end - root.start;
    add(endpointStacks(root.work.name, release), Math.max(1, 100 * seconds * RUNNING), [
      ...endpointLabels(root.work.name),
      { key: "trace_id", text: traceId },
      { key: "span_id", text: root.spanId },
    ]);
  }
  add(BESIDE, BUSY);
  const bytes = profile.toGzip();
  const parameters = { service: "storefront", environment: "production", release, instance };
  return { parameters, body: () => bytes };
}

function endpointLabels(endpoint: string): PprofLabel[] {
  return [{ key: "endpoint", text: endpoint }];
}

/** Where the Node storefront spends its time, by endpoint. */

const APP = "/app/src";
const MODULES = "/app/node_modules";

/** It no longer finds prices in the cache, and sorts their history for every cart. */
const REGRESSED = "storefront@5.3.0";

/** What serving an endpoint takes, as `GET /api/cart`. */
function endpointStacks(endpoint: string, release: string): readonly WeightedStack[] {
  const handler = ENDPOINTS[endpoint];
  if (handler === undefined) return [];
  return stacksOf([
    call(
      "processTicksAndRejections",
      "node:internal/process/task_queues",
      85,
      1,
      call(
        "handle",
        `${MODULES}/router/lib/layer.js`,
        152,
        1,
        call(
          "session",
          `${APP}/middleware/session.ts`,
          18,
          2,
          call("verify", `${MODULES}/jsonwebtoken/verify.js`, 71, 5),
        ),
        handler(release),
        call(
          "json",
          `${MODULES}/express/lib/response.js`,
          249,
          1,
          call("stringify", `${MODULES}/express/lib/response.js`, 1020, 9),
        ),
      ),
    ),
  ]);
}

type Handler = (release: string) => Call;

const listProducts: Handler = () =>
  call(
    "listProducts",
    `${APP}/products/list.ts`,
    22,
    3,
    cache(4),
    call(
      "toCards",
      `${APP}/products/cards.ts`,
      14,
      8,
      call("formatPrice", `${APP}/prices/format.ts`, 7, 6),
    ),
  );

const showProduct: Handler = () =>
  call(
    "showProduct",
    `${APP}/products/show.ts`,
    31,
    2,
    query(3),
    call(
      "loadReviews",
      `${APP}/reviews/load.ts`,
      26,
      3,
      query(9),
      call(
        "renderMarkdown",
        `${APP}/reviews/markdown.ts`,
        12,
        2,
        call("parse", `${MODULES}/marked/lib/marked.esm.js`, 2401, 14),
      ),
    ),
  );

const search: Handler = () =>
  call(
    "search",
    `${APP}/search/search.ts`,
    19,
    2,
    query(4),
    call("highlight", `${APP}/search/highlight.ts`, 11, 12),
  );

const showCart: Handler = (release) =>
  call(
    "showCart",
    `${APP}/cart/show.ts`,
    21,
    2,
    cache(3),
    release === REGRESSED
      ? call(
        "currentPrices",
        `${APP}/prices/history.ts`,
        40,
        4,
        query(22),
        call(
          "sortByValidity",
          `${APP}/prices/history.ts`,
          58,
          9,
          call("parseISO", `${MODULES}/date-fns/parseISO.js`, 39, 44),
        ),
      )
      : call("currentPrices", `${APP}/prices/current.ts`, 15, 1, cache(2)),
  );

const addToCart: Handler = () => call("addToCart", `${APP}/cart/add.ts`, 28, 2, query(4), cache(2));

const checkOut: Handler = () =>
  call(
    "placeOrder",
    `${APP}/checkout/place.ts`,
    77,
    2,
    call(
      "validate",
      `${APP}/checkout/schema.ts`,
      9,
      1,
      call("parse", `${MODULES}/zod/v4/core/parse.js`, 11, 8),
    ),
    call("fetch", "node:internal/deps/undici/undici", 13_512, 4),
  );

const ENDPOINTS: Readonly<Record<string, Handler>> = {
  "GET /api/products": listProducts,
  "GET /api/products/:id": showProduct,
  "GET /api/search": search,
  "GET /api/cart": showCart,
  "POST /api/cart": addToCart,
  "POST /api/checkout": checkOut,
};

/** Names of all endpoints that have a profile. */
const ENDPOINT_NAMES = Object.keys(ENDPOINTS);

/** What the process does beside requests; most of the time it is nothing. */
const BESIDE: readonly WeightedStack[] = stacksOf([
  call("(idle)", "", 0, 60),
  call(
    "Node.js",
    "",
    0,
    0,
    call("Garbage Collection", "", 0, 7),
    call("Non JS threads activity", "", 0, 5),
  ),
]);

function cache(weight: number): Call {
  return call(
    "get",
    `${APP}/cache/redis.ts`,
    33,
    1,
    call("sendCommand", `${MODULES}/ioredis/built/Redis.js`, 354, weight),
  );
}

function query(rows: number): Call {
  return call(
    "query",
    `${MODULES}/pg/lib/client.js`,
    545,
    2,
    call(
      "handleDataRow",
      `${MODULES}/pg/lib/query.js`,
      94,
      1,
      call("parseRow", `${MODULES}/pg/lib/result.js`, 55, rows),
    ),
  );
}
