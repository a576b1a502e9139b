/** The shop's API: Node with Sentry's SDK. Each endpoint has the habits of a real one, bad ones included. */
import { placeOrder } from "./orders.ts";
import type { Scene } from "./scene.ts";
import { answer, callOf, keep, lookUp, query } from "./sentry_work.ts";
import type { Served, Thrown, Work } from "./work.ts";

const API = "https://shop.example.com/api";
/** Of requests that need the database, in which all connections are taken. */
const FAILING = 0.038;
/** It no longer finds prices in the cache. */
const REGRESSED = "storefront@5.3.0";

/** `GET /api/products`: from the cache mostly. */
export function listProducts(scene: Scene): Work {
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
export function showProduct(scene: Scene): Work {
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
export function search(scene: Scene): Work {
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
export function showCart(scene: Scene): Work {
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
export function addToCart(scene: Scene): Work {
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
export function checkOut(scene: Scene): Work {
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
