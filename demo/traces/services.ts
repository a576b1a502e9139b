import { consume, publish, request, respond, statement } from "./otlp.ts";
import type { LogLine, Scene, Thrown, Work } from "./scene.ts";
import { answer, call, query } from "./sentry.ts";

/** The services of the shop: what they are made of, and which release ran when. */

export type ServiceName = "web" | "storefront" | "orders" | "payments";

interface Service {
  readonly platform: string;
  readonly sdk: { readonly name: string; readonly version: string };
  /** Newest first, with how many days ago each came out. */
  readonly releases: readonly (readonly [release: string, daysAgo: number])[];
}

export const SERVICES: Readonly<Record<ServiceName, Service>> = {
  web: {
    platform: "javascript",
    sdk: { name: "sentry.javascript.react", version: "11.12.0" },
    releases: [["web@3.1.1", 3.6], ["web@3.1.0", 9.4], ["web@3.0.4", Infinity]],
  },
  storefront: {
    platform: "node",
    sdk: { name: "sentry.javascript.node", version: "11.12.0" },
    releases: [
      ["storefront@5.3.0", 0.9],
      ["storefront@5.2.1", 6.2],
      ["storefront@5.2.0", Infinity],
    ],
  },
  orders: {
    platform: "java",
    sdk: { name: "opentelemetry", version: "1.58.0" },
    releases: [["1.9.0", 4.3], ["1.8.2", 8.1], ["1.8.1", Infinity]],
  },
  payments: {
    platform: "python",
    sdk: { name: "sentry.python.flask", version: "2.68.0" },
    releases: [["payments@0.14.2", 5.1], ["payments@0.14.1", 10.5], ["payments@0.14.0", Infinity]],
  },
};

export type Environment = "production" | "staging";

/** Staging gets a release a day before production does. */
const STAGING_AHEAD_DAYS = 1;

/** The release of a service that ran so many days ago. */
export function releaseOf(service: ServiceName, environment: Environment, daysAgo: number): string {
  const ahead = environment === "staging" ? STAGING_AHEAD_DAYS : 0;
  const { releases } = SERVICES[service];
  return releases.find(([, since]) => daysAgo <= since + ahead)?.[0] ?? "";
}

/** The order service: Java with OpenTelemetry's agent, an API and a worker behind a queue. */

const QUEUE = "order.placed";
const MAIL_FAILING = 0.04;

/** Places an order: it is charged first, then a worker writes the mail. */
export function placeOrder(scene: Scene): Work {
  const { random, person } = scene;
  const order = random.integer(100_000, 999_999);
  const charged = charge(scene);
  const status = charged.entry?.http?.status ?? 0;
  const isPaid = status < 400;
  const paying = request(
    { method: "POST", url: "http://payments.shop.internal/v2/charges", status },
    random.around(5),
    [charged],
  );
  const stock = statement(
    "SELECT sku, quantity FROM stock WHERE sku = ANY($1) FOR UPDATE",
    random.around(9),
  );
  const insert = statement(
    "INSERT INTO orders (id, customer_id, total, state) VALUES ($1, $2, $3, $4)",
    random.around(6),
  );
  const lines = statement(
    "INSERT INTO order_lines (order_id, sku, quantity, price) VALUES ($1, $2, $3, $4)",
    random.around(8),
  );
  const sending = publish(QUEUE, random.around(3), confirm(scene, order));
  return respond({
    method: "POST",
    route: "/orders",
    url: "http://orders.shop.internal/orders",
    status: isPaid ? 201 : 502,
  }, {
    ms: random.around(12),
    parts: isPaid ? [stock, paying, insert, lines, sending] : [stock, paying],
    logs: logsOf(order, charged, isPaid),
    ...(!isPaid && { thrown: paymentFailed(order) }),
  }, { "order.id": order, "enduser.id": String(person ?? 0) });
}

function logsOf(order: number, charged: Work, isPaid: boolean): LogLine[] {
  const network = charged.parts?.find(({ op }) => op === "http.client");
  const ms = Math.round(network?.ms ?? 0);
  const received: LogLine = {
    level: "info",
    body: `order ${order} was received`,
    data: { "order.id": order },
  };
  const slow: LogLine = {
    level: "warn",
    body: `payment of order ${order} took ${ms} ms`,
    data: { "order.id": order, "payment.duration_ms": ms },
  };
  const done: LogLine = isPaid
    ? { level: "info", body: `order ${order} was placed`, data: { "order.id": order } }
    : { level: "error", body: `order ${order} was given up`, data: { "order.id": order } };
  return ms > 2_000 ? [received, slow, done] : [received, done];
}

function confirm({ random }: Scene, order: number): Work {
  const fails = random.chance(MAIL_FAILING);
  return consume(QUEUE, {
    ms: random.around(18),
    laterMs: random.around(160, 0.6),
    parts: [
      statement("SELECT email, locale FROM customers WHERE id = $1", random.around(4)),
      request(
        {
          method: "POST",
          url: "https://api.letterbox.example/v3/messages",
          status: fails ? 503 : 202,
        },
        random.around(fails ? 900 : 130),
      ),
    ],
    logs: [
      fails
        ? { level: "warn", body: `mail for order ${order} is tried again` }
        : { level: "info", body: `mail for order ${order} was sent` },
    ],
    status: fails ? "internal_error" : "ok",
  });
}

function paymentFailed(order: number): Thrown {
  return {
    type: "com.shop.orders.PaymentFailedException",
    message: `Order ${order} was not paid: 502 from payments`,
    frames: [
      {
        module: "org.springframework.web.servlet.FrameworkServlet",
        filename: "FrameworkServlet.java",
        function: "service",
        line: 885,
        isForeign: true,
      },
      {
        module: "com.shop.orders.OrderController",
        filename: "OrderController.java",
        function: "place",
        line: 63,
      },
      {
        module: "com.shop.orders.PaymentClient",
        filename: "PaymentClient.java",
        function: "charge",
        line: 41,
      },
    ],
  };
}

/** The payment service: Python with Sentry's SDK, slow now and then, since its card network is. */

const FAILING = 0.05;
const SLOW = 0.09;
const CARD_NETWORK = "https://api.cardnet.example/v1/authorizations";

/** Charges somebody's card for an order. */
function charge({ random }: Scene): Work {
  const fails = random.chance(FAILING);
  const networkMs = fails
    ? 10_000
    : random.chance(SLOW)
    ? random.around(3_900, 0.3)
    : random.around(240);
  const customer = query(
    "SELECT id, card_token, country FROM customers WHERE id = %s",
    random.around(4),
  );
  const booking = query(
    "INSERT INTO charges (order_id, amount, currency, state) VALUES (%s, %s, %s, %s)",
    random.around(7),
  );
  const authorization = call(
    { method: "POST", url: CARD_NETWORK, status: fails ? 504 : 201 },
    networkMs,
  );
  return answer("payments", `payments-${random.integer(1, 2)}`, {
    method: "POST",
    route: "/v2/charges",
    url: "http://payments.shop.internal/v2/charges",
    status: fails ? 502 : 201,
  }, {
    ms: random.around(14),
    parts: fails ? [customer, authorization] : [customer, authorization, booking],
    ...(fails && { thrown: NO_ANSWER }),
  });
}

const NO_ANSWER: Thrown = {
  type: "CardNetworkTimeout",
  message: "no answer from api.cardnet.example within 10 s",
  frames: [
    {
      module: "flask.app",
      filename: "flask/app.py",
      function: "dispatch_request",
      line: 902,
      isForeign: true,
    },
    {
      module: "payments.views",
      filename: "payments/views.py",
      function: "create_charge",
      line: 47,
      code: "    authorization = network.authorize(charge, timeout=TIMEOUT)",
    },
    {
      module: "payments.network",
      filename: "payments/network.py",
      function: "authorize",
      line: 29,
      code:
        '        raise CardNetworkTimeout(f"no answer from {HOST} within {timeout:.0f} s") from error',
    },
  ],
};

/** The nightly job that compares orders with what the card network booked: one trace of thousands of spans. */

const PAGES = 16;
const ORDERS_A_PAGE = 24;
const MISSING = 0.01;

/** About two thousand spans: pages of orders, and five steps for each order. */
export function reconcile(scene: Scene): Work {
  const total = PAGES * ORDERS_A_PAGE;
  return {
    name: "reconcile orders",
    ms: 900,
    parts: [
      statement("SELECT count(*) FROM orders WHERE state = $1 AND placed_at >= $2", 85),
      ...Array.from({ length: PAGES }, (_, index) => page(scene, index)),
    ],
    data: { "job.name": "reconcile orders", "job.orders": total },
    logs: [
      { level: "info", body: `${total} orders were compared`, data: { "job.orders": total } },
    ],
    entry: { service: "orders", server: "orders-worker-1" },
  };
}

function page(scene: Scene, index: number): Work {
  const { random } = scene;
  return {
    name: "reconcile page",
    ms: random.around(20),
    parts: [
      statement(
        "SELECT id, total, charge_id FROM orders WHERE id > $1 ORDER BY id LIMIT $2",
        random.around(40),
      ),
      ...Array.from({ length: ORDERS_A_PAGE }, () => compare(scene)),
    ],
    data: { "job.page": index + 1 },
  };
}

function compare({ random }: Scene): Work {
  const isMissing = random.chance(MISSING);
  const parts = [
    statement("SELECT sku, quantity, price FROM order_lines WHERE order_id = $1", random.around(3)),
    request(
      {
        method: "GET",
        url: `https://api.cardnet.example/v1/bookings/${random.integer(10_000_000, 99_999_999)}`,
        status: isMissing ? 404 : 200,
      },
      random.around(34, 0.5),
    ),
    statement("SELECT amount, currency FROM refunds WHERE order_id = $1", random.around(3)),
    statement("UPDATE orders SET reconciled_at = now() WHERE id = $1", random.around(5)),
  ];
  return {
    name: "compare order",
    ms: random.around(4),
    parts: isMissing ? parts.slice(0, 2) : parts,
    data: { "order.id": random.integer(100_000, 999_999) },
  };
}
