/** The shop's API: Node with Sentry's SDK. Each endpoint has the habits of a real one, bad ones included. */
import type { Random } from "../story.ts";
import type { Scene, Served, Thrown, Work } from "./scene.ts";
import { answer, callOf, keep, lookUp, query } from "./sentry.ts";
import { placeOrder } from "./services.ts";

const API = "https://shop.example.com/api";
/** Of requests that need the database, in which all connections are taken. */
const FAILING = 0.038;
/** It no longer finds prices in the cache. */
const REGRESSED = "storefront@5.3.0";

/** `GET /api/products`: from the cache mostly. */
function listProducts(scene: Scene): Work {
  const { random } = scene;
  const isHit = random.chance(0.8);
  const found = lookUp("products:page:1", isHit, random.around(2));
  const read = query(
    "SELECT id, title, price FROM products WHERE visible ORDER BY rank LIMIT 48",
    random.around(48),
  );
  return respond(scene, { method: "GET", route: "/api/products", path: "/products" }, {
    ms: random.around(14),
    parts: isHit ? [found] : [found, read, keep("products:page:1", random.around(3))],
  });
}

/** `GET /api/products/:id`: asks for the author of every review, one by one. */
function showProduct(scene: Scene): Work {
  const { random } = scene;
  const id = random.integer(1_000, 1_400);
  const authors = Array.from(
    { length: random.integer(6, 18) },
    () => query("SELECT id, name, avatar FROM users WHERE id = $1", random.around(4.5)),
  );
  return respond(scene, {
    method: "GET",
    route: "/api/products/:id",
    path: `/products/${id}`,
  }, {
    ms: random.around(16),
    parts: [
      query("SELECT * FROM products WHERE id = $1", random.around(5)),
      query(
        "SELECT id, user_id, stars, body FROM reviews WHERE product_id = $1 ORDER BY created_at DESC",
        random.around(9),
      ),
      ...authors,
    ],
  });
}

/** `GET /api/search`: no index helps this statement. */
function search(scene: Scene): Work {
  const { random } = scene;
  const word = random.pick(["lamp", "chair", "blue+desk", "shelf", "rug", "kettle"]);
  return respond(scene, {
    method: "GET",
    route: "/api/search",
    path: `/search?q=${word}`,
  }, {
    ms: random.around(20),
    parts: [
      query(
        "SELECT id, title, price FROM products WHERE title ILIKE $1 OR description ILIKE $1 ORDER BY similarity(title, $2) DESC LIMIT 48",
        random.around(890, 0.5),
      ),
      query("SELECT count(*) FROM products WHERE title ILIKE $1", random.around(120, 0.5)),
    ],
  });
}

/** `GET /api/cart`: fast until the newest release. */
function showCart(scene: Scene): Work {
  const { random } = scene;
  const cart = `cart:${scene.person}`;
  const isRegressed = scene.release("storefront") === REGRESSED;
  const prices = isRegressed
    ? query(
      "SELECT sku, price, currency FROM price_history WHERE sku = ANY($1) ORDER BY valid_from DESC",
      random.around(410, 0.3),
    )
    : lookUp("prices:current", true, random.around(2));
  return respond(scene, { method: "GET", route: "/api/cart", path: "/cart" }, {
    ms: random.around(11),
    parts: [lookUp(cart, random.chance(0.9), random.around(2)), prices],
  });
}

/** `POST /api/cart` */
function addToCart(scene: Scene): Work {
  const { random } = scene;
  return respond(scene, { method: "POST", route: "/api/cart", path: "/cart" }, {
    ms: random.around(12),
    parts: [
      query("SELECT sku, stock FROM products WHERE id = $1", random.around(5)),
      query("UPDATE carts SET lines = $1, changed_at = now() WHERE id = $2", random.around(9)),
      keep(`cart:${scene.person}`, random.around(2)),
    ],
  });
}

/** `POST /api/checkout`: the order service does the work. */
function checkOut(scene: Scene): Work {
  const { random } = scene;
  const ordered = placeOrder(scene);
  const isPlaced = ordered.entry?.http?.status === 201;
  return answer("storefront", serverOf(scene), {
    method: "POST",
    route: "/api/checkout",
    url: `${API}/checkout`,
    status: isPlaced ? 201 : 502,
  }, {
    ms: random.around(18),
    parts: [
      lookUp(`cart:${scene.person}`, true, random.around(2)),
      callOf(ordered, random.around(4)),
    ],
    logs: [
      { level: "info", body: `checkout of cart ${scene.person} begins` },
      isPlaced
        ? { level: "info", body: `cart ${scene.person} became an order` }
        : { level: "error", body: `checkout of cart ${scene.person} was given up` },
    ],
    ...(!isPlaced && { thrown: CHECKOUT_FAILED }),
  });
}

interface Endpoint extends Pick<Served, "method" | "route"> {
  /** Below the API, with the query. */
  readonly path: string;
}

/** An answer, or now and then a failure before any of the work is done. */
function respond(
  scene: Scene,
  { method, route, path }: Endpoint,
  work: Required<Pick<Work, "ms" | "parts">>,
): Work {
  const fails = scene.random.chance(FAILING);
  const http = { method, route, url: API + path, status: fails ? 500 : 200 };
  const failed: Pick<Work, "ms" | "logs" | "thrown"> = {
    ms: scene.random.around(1_015, 0.01),
    logs: [{ level: "error", body: `${method} ${path}: all connections are in use`, data: POOL }],
    thrown: NO_CONNECTION,
  };
  return answer("storefront", serverOf(scene), http, fails ? failed : work);
}

function serverOf({ random }: Scene): string {
  return `storefront-${random.integer(1, 4)}`;
}

const POOL = { "db.client.connection.max": 20 };

const EXPRESS = {
  module: "router.lib.layer",
  filename: "/app/node_modules/router/lib/layer.js",
  function: "Layer.handleRequest",
  line: 152,
  isForeign: true,
};

const NO_CONNECTION: Thrown = {
  type: "PoolTimeoutError",
  message: "no connection to the database became free within 1000 ms",
  frames: [EXPRESS, {
    module: "db.pool",
    filename: "/app/src/db/pool.ts",
    function: "withConnection",
    line: 31,
    code: "  const connection = await pool.connect();",
  }],
};

const CHECKOUT_FAILED: Thrown = {
  type: "CheckoutError",
  message: "The order service answered 502",
  frames: [EXPRESS, {
    module: "checkout.place",
    filename: "/app/src/checkout/place.ts",
    function: "placeOrder",
    line: 77,
    code:
      "  if (!response.ok) throw new CheckoutError(`The order service answered ${response.status}`);",
  }],
};

/** The shop's pages in the browser, with Sentry's SDK: page loads, navigations, resources and Web Vitals. */

const SITE = "https://shop.example.com";

/** How heavy a page is: medians in milliseconds, but for `shift`, a layout shift score. */
interface Weight {
  readonly first: number;
  readonly largest: number;
  readonly interaction: number;
  readonly shift: number;
}

const WEIGHTS: Readonly<Record<string, Weight>> = {
  "/": { first: 1_150, largest: 1_900, interaction: 90, shift: 0.04 },
  "/search": { first: 1_050, largest: 3_100, interaction: 240, shift: 0.02 },
  "/products/:id": { first: 1_300, largest: 2_500, interaction: 130, shift: 0.17 },
};

const FILES = [
  { name: "/assets/app.3f9c1b27.js", op: "resource.script", ms: 190, bytes: 214_000 },
  { name: "/assets/app.77d20ae1.css", op: "resource.css", ms: 80, bytes: 38_000 },
  { name: "/assets/inter.4a1be093.woff2", op: "resource.link", ms: 110, bytes: 51_000 },
  { name: "/images/hero.webp", op: "resource.img", ms: 340, bytes: 420_000 },
];

/** A page that is opened. @param served what it asks the shop's API for, one after the other */
function pageLoad(scene: Scene, page: string, served: readonly Work[]): Work {
  const { random } = scene;
  const speed = random.around(1, 0.3);
  return {
    name: page,
    op: "pageload",
    ms: random.around(420) * speed,
    parts: [
      {
        name: SITE + page,
        op: "browser.request",
        ms: random.around(160) * speed,
      },
      resources(random, speed),
      ...served.map((work) => callOf(work, random.around(38) * speed)),
      { name: "main-thread", op: "ui.long-task", ms: random.around(95) * speed },
    ],
    data: { "sentry.op": "pageload", "url.full": SITE + page },
    entry: { service: "web", server: "", vitals: vitalsOf(random, page, speed) },
  };
}

/** A page that the one before it makes way for, without loading. */
function navigation(scene: Scene, page: string, served: readonly Work[]): Work {
  const { random } = scene;
  return {
    name: page,
    op: "navigation",
    ms: random.around(90),
    parts: [
      ...served.map((work) => callOf(work, random.around(36))),
      { name: page.split("/")[1] ?? "page", op: "ui.react.mount", ms: random.around(28) },
    ],
    data: { "sentry.op": "navigation", "url.full": SITE + page },
    entry: { service: "web", server: "" },
  };
}

function resources(random: Random, speed: number): Work {
  return {
    name: "load",
    op: "browser.load",
    ms: 60 * speed,
    isParallel: true,
    parts: FILES.map(({ name, op, ms, bytes }) => ({
      name: SITE + name,
      op,
      ms: random.around(ms) * speed,
      data: { "http.response_content_length": bytes, "server.address": "shop.example.com" },
    })),
  };
}

/** A slow connection or an old phone slows everything alike. */
function vitalsOf(random: Random, page: string, speed: number): Record<string, number> {
  const weight = WEIGHTS[page];
  if (weight === undefined) return {};
  const ttfb = random.around(390, 0.4) * speed;
  return {
    ttfb,
    fcp: ttfb + random.around(weight.first - 390, 0.25) * speed,
    lcp: ttfb + random.around(weight.largest - 390, 0.3) * speed,
    cls: random.around(weight.shift, 0.7),
    // Nobody clicks on every page.
    ...(random.chance(0.7) && { inp: random.around(weight.interaction, 0.6) * speed }),
  };
}

/** What people look at the shop with. */
interface Client {
  readonly browser: { readonly name: string; readonly version: string };
  readonly os: { readonly name: string };
  /** Family of the device, as `iPhone`. */
  readonly device: string;
  readonly agent: string;
}

const CLIENTS: readonly [Client, ...Client[]] = [
  {
    browser: { name: "Chrome", version: "141.0.0" },
    os: { name: "Windows" },
    device: "PC",
    agent:
      "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36",
  },
  {
    browser: { name: "Mobile Safari", version: "19.0" },
    os: { name: "iOS" },
    device: "iPhone",
    agent:
      "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Mobile/15E148 Safari/604.1",
  },
  {
    browser: { name: "Chrome Mobile", version: "141.0.0" },
    os: { name: "Android" },
    device: "Pixel 9",
    agent:
      "Mozilla/5.0 (Linux; Android 16; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36",
  },
  {
    browser: { name: "Firefox", version: "145.0" },
    os: { name: "Linux" },
    device: "PC",
    agent: "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
  },
];

/** As the shop's delivery network tells it. */
const COUNTRIES = ["DE", "DE", "GB", "BR", "US", "PL", "DE"] as const;

/** What a person looks at the shop with: the same at every visit. */
export function clientOf(person: number): Client {
  return CLIENTS[person % CLIENTS.length] ?? CLIENTS[0];
}

/** Where a person is: two letters. */
export function countryOf(person: number): string {
  return COUNTRIES[person % COUNTRIES.length] ?? COUNTRIES[0];
}

/** What people do in the shop, and how often. */

interface Visit {
  /** How often it happens, compared with the others. */
  readonly share: number;
  begin(scene: Scene): Work;
}

/** The last ones come from the shop's app for phones, which sends nothing itself. */
const VISITS: readonly Visit[] = [
  { share: 20, begin: (scene) => pageLoad(scene, "/", [listProducts(scene)]) },
  { share: 11, begin: (scene) => pageLoad(scene, "/search", [search(scene)]) },
  {
    share: 9,
    begin: (scene) => pageLoad(scene, "/products/:id", [showProduct(scene), showCart(scene)]),
  },
  { share: 16, begin: (scene) => navigation(scene, "/products/:id", [showProduct(scene)]) },
  { share: 8, begin: (scene) => navigation(scene, "/cart", [addToCart(scene), showCart(scene)]) },
  { share: 9, begin: (scene) => navigation(scene, "/checkout", [checkOut(scene)]) },
  { share: 9, begin: listProducts },
  { share: 7, begin: showProduct },
  { share: 6, begin: showCart },
  { share: 3, begin: checkOut },
];

const TOTAL = VISITS.reduce((total, { share }) => total + share, 0);

/** What somebody does. */
export function visit(scene: Scene): Work {
  let left = scene.random.next() * TOTAL;
  const chosen = VISITS.find(({ share }) => (left -= share) < 0) ?? VISITS[0];
  if (chosen === undefined) throw new Error("Nobody does anything in this shop");
  return chosen.begin(scene);
}
