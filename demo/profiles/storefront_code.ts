/** Where the Node storefront spends its time, by endpoint. */
import { type Call, call, stacksOf, type WeightedStack } from "./calls.ts";

const APP = "/app/src";
const MODULES = "/app/node_modules";

/** It no longer finds prices in the cache, and sorts their history for every cart. */
export const REGRESSED = "storefront@5.3.0";

/** What serving an endpoint takes, as `GET /api/cart`. */
export function endpointStacks(endpoint: string, release: string): readonly WeightedStack[] {
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
export const ENDPOINT_NAMES = Object.keys(ENDPOINTS);

/** What the process does beside requests; most of the time it is nothing. */
export const BESIDE: readonly WeightedStack[] = stacksOf([
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
