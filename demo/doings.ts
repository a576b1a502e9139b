/** What people do in the shop, and what its services do for them: traces as trees of work. */
import type { Random } from "./chance.ts";
import { answer, ask, http, type LogLine, type Scene, type Work } from "./scene.ts";

/** What people do, and how often: a kind of page with its path, and what it asks the storefront for. */
const VISITS = [
  [20, "pageload", "/", "GET /api/products"],
  [11, "pageload", "/search", "GET /api/search"],
  [9, "pageload", "/products/:id", "GET /api/products/:id", "GET /api/cart"],
  [16, "navigation", "/products/:id", "GET /api/products/:id"],
  [8, "navigation", "/cart", "POST /api/cart", "GET /api/cart"],
  [9, "navigation", "/checkout", "POST /api/checkout"],
  // These come from the shop's app for phones, which sends nothing itself.
  [9, "", "", "GET /api/products"],
  [7, "", "", "GET /api/products/:id"],
  [6, "", "", "GET /api/cart"],
  [3, "", "", "POST /api/checkout"],
] as const;

/** What somebody does. */
export function visit(scene: Scene): Work {
  const [, op, path, ...asked] = scene.random.pick(VISITS, ([share]) => share);
  const served = asked.map((endpoint) => respond(scene, endpoint));
  const [only] = served;
  if (op === "" && only !== undefined) return only;
  return op === "pageload" ? pageLoad(scene, path, served) : navigation(path, served);
}

const SITE = "https://shop.example.com";
/** Of pages: medians of first paint, largest paint and an interaction in milliseconds, and of the layout shift. */
const WEIGHTS: Readonly<Record<string, readonly [number, number, number, number]>> = {
  "/": [1_150, 1_900, 90, 0.04],
  "/search": [1_050, 3_100, 240, 0.02],
  "/products/:id": [1_300, 2_500, 130, 0.17],
};
const FILES = [
  ["resource.script", "/assets/app.3f9c1b27.js", 190, 214_000],
  ["resource.css", "/assets/app.77d20ae1.css", 80, 38_000],
  ["resource.link", "/assets/inter.4a1be093.woff2", 110, 51_000],
  ["resource.img", "/images/hero.webp", 340, 420_000],
] as const;

/** A page that is opened; a slow connection or an old phone slows everything alike. */
function pageLoad({ random }: Scene, path: string, served: readonly Work[]): Work {
  const speed = random.around(1, 0.3);
  const files = FILES.map(([op, file, ms, bytes]): Work => ({
    op,
    name: SITE + file,
    ms: ms * speed,
    data: { "http.response_content_length": bytes, "server.address": "shop.example.com" },
  }));
  return {
    op: "pageload",
    name: path,
    ms: 420 * speed,
    parts: [
      { op: "browser.request", name: SITE + path, ms: 160 * speed },
      { op: "browser.load", name: "load", ms: 60 * speed, isParallel: true, parts: files },
      ...served.map((work) => ask(work, 38 * speed)),
      { op: "ui.long-task", name: "main-thread", ms: 95 * speed },
    ],
    data: { "sentry.op": "pageload", "url.full": SITE + path },
    entry: { service: "web", server: "", vitals: vitalsOf(random, path, speed) },
  };
}

function vitalsOf(random: Random, path: string, speed: number): Record<string, number> {
  const [first = 0, largest = 0, interaction = 0, shift = 0] = WEIGHTS[path] ?? [];
  const ttfb = random.around(390, 0.4) * speed;
  return {
    ttfb,
    fcp: ttfb + random.around(first - 390, 0.25) * speed,
    lcp: ttfb + random.around(largest - 390, 0.3) * speed,
    cls: random.around(shift, 0.7),
    // Nobody clicks on every page.
    ...(random.chance(0.7) && { inp: random.around(interaction, 0.6) * speed }),
  };
}

/** A page that the one before it makes way for, without loading. */
function navigation(path: string, served: readonly Work[]): Work {
  return {
    op: "navigation",
    name: path,
    ms: 90,
    parts: [
      ...served.map((work) => ask(work, 36)),
      { op: "ui.react.mount", name: path.split("/")[1] ?? "page", ms: 28 },
    ],
    data: { "sentry.op": "navigation", "url.full": SITE + path },
    entry: { service: "web", server: "" },
  };
}

/**
 * Reads pieces of work, one a line: what kind it is, the median of its milliseconds, and the statement or key. A look into
 * the cache finds something, unless there is a `!` behind its kind.
 */
function steps(text: string): Work[] {
  return text.trim().split("\n").map((line) => {
    const [, op = "", missed, ms, spread, name = ""] =
      /^ *([a-z.]+)(!?) ([\d.]+)(?:~([\d.]+))? (.*)$/.exec(line) ?? [];
    const data = {
      ...(op !== "db" && { "cache.key": [name] }),
      ...(op === "cache.get" && { "cache.hit": missed !== "!" }),
    };
    return { op, name, ms: Number(ms), data, ...(spread && { spread: Number(spread) }) };
  });
}

/** An endpoint of the storefront, with the habits of a real one, bad ones included. */
interface Endpoint {
  /** Requests a minute at full load, and the median of their milliseconds, as metrics tell of them. */
  readonly perMinute: number;
  readonly medianMs: number;
  readonly spread?: number;
  readonly path: string;
  /** Its own milliseconds in traces. */
  readonly ms: number;
  /** In the language of `steps()`. */
  does(scene: Scene): string;
}

/** It no longer finds prices in the cache. */
export const REGRESSED = "storefront@5.3.0";

export const ENDPOINTS: Readonly<Record<string, Endpoint>> = {
  "GET /api/products": {
    perMinute: 60,
    medianMs: 24,
    path: "/products",
    ms: 14,
    does: ({ random }) =>
      random.chance(0.8) ? "cache.get 2 products:page:1" : `
cache.get! 2 products:page:1
db 48 SELECT id, title, price FROM products WHERE visible ORDER BY rank LIMIT 48
cache.put 3 products:page:1`,
  },
  "GET /api/products/:id": {
    perMinute: 42,
    medianMs: 92,
    path: "/products/<1000..1400>",
    ms: 16,
    // It asks for the author of every review, one by one.
    does: ({ random }) => `
db 5 SELECT * FROM products WHERE id = $1
db 9 SELECT id, user_id, stars, body FROM reviews WHERE product_id = $1 ORDER BY created_at DESC
${"db 4.5 SELECT id, name, avatar FROM users WHERE id = $1\n".repeat(random.integer(6, 18))}`,
  },
  "GET /api/search": {
    perMinute: 18,
    medianMs: 410,
    spread: 0.7,
    path: "/search?q=<lamp|chair|blue+desk|shelf|rug|kettle>",
    ms: 20,
    // No index helps these statements.
    does: () => `
db 890~0.5 SELECT id, title, price FROM products WHERE title ILIKE $1 OR description ILIKE $1 ORDER BY similarity(title, $2) DESC LIMIT 48
db 120~0.5 SELECT count(*) FROM products WHERE title ILIKE $1`,
  },
  "GET /api/cart": {
    perMinute: 30,
    medianMs: 36,
    path: "/cart",
    ms: 11,
    does: ({ random, person, release }) => `
cache.get${random.chance(0.9) ? "" : "!"} 2 cart:${person}
${
      release("storefront") === REGRESSED
        ? "db 410~0.3 SELECT sku, price, currency FROM price_history WHERE sku = ANY($1) ORDER BY valid_from DESC"
        : "cache.get 2 prices:current"
    }`,
  },
  "POST /api/cart": {
    perMinute: 9,
    medianMs: 48,
    path: "/cart",
    ms: 12,
    does: ({ person }) => `
db 5 SELECT sku, stock FROM products WHERE id = $1
db 9 UPDATE carts SET lines = $1, changed_at = now() WHERE id = $2
cache.put 2 cart:${person}`,
  },
  "POST /api/checkout": {
    perMinute: 3.5,
    medianMs: 620,
    path: "/checkout",
    ms: 18,
    does: ({ person }) => `cache.get 2 cart:${person}`,
  },
};

/** Of requests that need the database, in which all connections are taken. */
const FAILING = 0.038;
const NO_CONNECTION = `
PoolTimeoutError: no connection to the database became free within 1000 ms
  Layer.handleRequest @ /app/node_modules/router/lib/layer.js:152:17
  withConnection @ /app/src/db/pool.ts:31:24
    >   const connection = await pool.connect();`;
const CHECKOUT_FAILED = `
CheckoutError: The order service answered 502
  Layer.handleRequest @ /app/node_modules/router/lib/layer.js:152:17
  placeOrder @ /app/src/checkout/place.ts:77:26
    >   if (!response.ok) throw new CheckoutError(\`The order service answered \${response.status}\`);`;

/** An answer of the storefront, or now and then a failure before any of the work is done. */
function respond(scene: Scene, endpoint: string): Work {
  const { random, person } = scene;
  const [method = "", route = ""] = endpoint.split(" ");
  const { path, ms, does } = ENDPOINTS[endpoint] ?? missing(endpoint);
  const url = `${SITE}/api${random.filled(path)}`;
  const reply = (status: number, work: Partial<Work> & Pick<Work, "ms">) =>
    answer(
      "storefront",
      `storefront-${random.integer(1, 4)}`,
      { method, route, url, status },
      work,
    );
  if (route !== "/api/checkout" && random.chance(FAILING)) {
    const body = `${endpoint}: all connections are in use`;
    const logs: LogLine[] = [["error", body, { "db.client.connection.max": 20 }]];
    return reply(500, { ms: 1_015, spread: 0.01, logs, thrown: NO_CONNECTION });
  }
  const parts = steps(does(scene));
  if (route !== "/api/checkout") return reply(200, { ms, parts });
  const ordered = ask(placeOrder(scene), 4);
  const isPlaced = ordered.status === "ok";
  return reply(isPlaced ? 201 : 502, {
    ms,
    parts: [...parts, ordered],
    logs: [
      ["info", `checkout of cart ${person} begins`],
      isPlaced
        ? ["info", `cart ${person} became an order`]
        : ["error", `checkout of cart ${person} was given up`],
    ],
    ...(!isPlaced && { thrown: CHECKOUT_FAILED }),
  });
}

function missing(endpoint: string): never {
  throw new RangeError(`The storefront has no ${endpoint}`);
}

const paymentFailed = (order: number) => `
com.shop.orders.PaymentFailedException: Order ${order} was not paid: 502 from payments
  org.springframework.web.servlet.FrameworkServlet.service @ FrameworkServlet.java:885
  com.shop.orders.OrderController.place @ OrderController.java:63
  com.shop.orders.PaymentClient.charge @ PaymentClient.java:41`;

/** The order service, Java with OpenTelemetry's agent: it has an order charged, then a worker writes the mail. */
function placeOrder(scene: Scene): Work {
  const order = scene.random.integer(100_000, 999_999);
  const data = { "order.id": order };
  const charged = charge(scene);
  const isPaid = charged.status === "ok";
  const networkMs = charged.parts?.find(({ op }) => op === "http.client")?.ms ?? 0;
  const slow: LogLine[] = networkMs < 2_000 ? [] : [
    ["warn", `payment of order ${order} is slow`, { ...data, "payment.expected_ms": networkMs }],
  ];
  const stock = steps("db 9 SELECT sku, quantity FROM stock WHERE sku = ANY($1) FOR UPDATE");
  return answer("orders", "orders-api-1", {
    method: "POST",
    route: "/orders",
    url: "http://orders.shop.internal/orders",
    status: isPaid ? 201 : 502,
  }, {
    ms: 12,
    parts: !isPaid ? [...stock, ask(charged, 5)] : [
      ...stock,
      ask(charged, 5),
      ...steps(`
db 6 INSERT INTO orders (id, customer_id, total, state) VALUES ($1, $2, $3, $4)
db 8 INSERT INTO order_lines (order_id, sku, quantity, price) VALUES ($1, $2, $3, $4)`),
      { op: "queue.publish", name: "order.placed", ms: 3, parts: [confirm(scene, order)] },
    ],
    data: { ...data, "enduser.id": String(scene.person ?? 0) },
    logs: [
      ["info", `order ${order} was received`, data],
      ...slow,
      isPaid
        ? ["info", `order ${order} was placed`, data]
        : ["error", `order ${order} was given up`, data],
    ],
    ...(!isPaid && { thrown: paymentFailed(order) }),
  });
}

/** Writes the mail, which the mail service refuses now and then. */
function confirm({ random }: Scene, order: number): Work {
  const fails = random.chance(0.04);
  const url = "https://api.letterbox.example/v3/messages";
  return {
    op: "queue.process",
    name: "order.placed",
    ms: 18,
    laterMs: 160,
    parts: [
      ...steps("db 4 SELECT email, locale FROM customers WHERE id = $1"),
      http({ method: "POST", url, status: fails ? 503 : 202 }, fails ? 900 : 130),
    ],
    logs: [
      fails
        ? ["warn", `mail for order ${order} is tried again`]
        : ["info", `mail for order ${order} was sent`],
    ],
    status: fails ? "internal_error" : "ok",
    entry: { service: "orders", server: "orders-worker-1" },
  };
}

const NO_ANSWER = `
CardNetworkTimeout: no answer from api.cardnet.example within 10 s
  dispatch_request @ /usr/local/lib/python3.13/site-packages/flask/app.py:902
  create_charge @ /srv/payments/views.py:47
    >     authorization = network.authorize(charge, timeout=TIMEOUT)
  authorize @ /srv/payments/network.py:29
    >         raise CardNetworkTimeout(f"no answer from {HOST} within {timeout:.0f} s") from error`;

/** The payment service, Python: charges a card, slow now and then, since its card network is. */
function charge({ random }: Scene): Work {
  const fails = random.chance(0.05);
  const url = "https://api.cardnet.example/v1/authorizations";
  const customer = steps("db 4 SELECT id, card_token, country FROM customers WHERE id = %s");
  const authorization = fails
    ? http({ method: "POST", url, status: 504 }, 10_000, { spread: 0 })
    : http({ method: "POST", url, status: 201 }, random.chance(0.09) ? 3_900 : 240);
  const booked = steps(
    "db 7 INSERT INTO charges (order_id, amount, currency, state) VALUES (%s, %s, %s, %s)",
  );
  return answer("payments", `payments-${random.integer(1, 2)}`, {
    method: "POST",
    route: "/v2/charges",
    url: "http://payments.shop.internal/v2/charges",
    status: fails ? 502 : 201,
  }, {
    ms: 14,
    parts: [...customer, authorization, ...(fails ? [] : booked)],
    ...(fails && { thrown: NO_ANSWER }),
  });
}

const PAGES = 16;
const ORDERS_A_PAGE = 24;

/** The nightly job that compares orders with what the card network booked: about two thousand spans. */
export function reconcile(scene: Scene): Work {
  const total = PAGES * ORDERS_A_PAGE;
  const pages = Array.from({ length: PAGES }, (_, index): Work => ({
    op: "function",
    name: "reconcile page",
    ms: 20,
    parts: [
      ...steps("db 40 SELECT id, total, charge_id FROM orders WHERE id > $1 ORDER BY id LIMIT $2"),
      ...Array.from({ length: ORDERS_A_PAGE }, () => compare(scene)),
    ],
    data: { "job.page": index + 1 },
  }));
  return {
    op: "function",
    name: "reconcile orders",
    ms: 900,
    spread: 0,
    parts: [
      ...steps("db 85 SELECT count(*) FROM orders WHERE state = $1 AND placed_at >= $2"),
      ...pages,
    ],
    data: { "job.name": "reconcile orders", "job.orders": total },
    logs: [["info", `${total} orders were compared`, { "job.orders": total }]],
    entry: { service: "orders", server: "orders-worker-1" },
  };
}

function compare({ random }: Scene): Work {
  const isMissing = random.chance(0.01);
  const url = random.filled("https://api.cardnet.example/v1/bookings/<10000000..99999999>");
  const [lines, ...others] = steps(`
db 3 SELECT sku, quantity, price FROM order_lines WHERE order_id = $1
db 3 SELECT amount, currency FROM refunds WHERE order_id = $1
db 5 UPDATE orders SET reconciled_at = now() WHERE id = $1`);
  const booking = http({ method: "GET", url, status: isMissing ? 404 : 200 }, 34, { spread: 0.5 });
  return {
    op: "function",
    name: "compare order",
    ms: 4,
    parts: [...(lines ? [lines] : []), booking, ...(isMissing ? [] : others)],
    data: { "order.id": random.integer(100_000, 999_999) },
  };
}
