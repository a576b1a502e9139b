import { type Random, source, type Story } from "../story.ts";

const RELEASES = ["api@2.7.0", "api@2.8.0", "api@2.8.1", "api@2.9.0"] as const;
const ENVIRONMENTS = ["production", "staging"] as const;

function service(random: Random, method: string, path: string): Record<string, unknown> {
  return {
    platform: "node",
    sdk: { name: "sentry.javascript.node", version: "11.12.0" },
    server_name: `api-${random.integer(1, 6)}`,
    transaction: `${method} ${path}`,
    request: {
      method,
      url: `https://api.example.com${path.replace(":id", String(random.integer(1000, 9999)))}`,
      headers: {
        host: "api.example.com",
        "content-type": "application/json",
        "user-agent": "okhttp/5.1.0",
      },
      data: { coupon: random.pick(["SUMMER", "", "FRIEND"]), quantity: random.integer(1, 5) },
    },
    contexts: {
      runtime: { name: "node", version: "v24.4.0" },
      os: { name: "Debian GNU/Linux", version: "13" },
      device: { arch: "x64", memory_size: 8_589_934_592, processor_count: 4 },
      trace: { trace_id: random.hex(32), span_id: random.hex(16), op: "http.server" },
    },
    modules: { express: "5.1.0", pg: "8.16.3", ioredis: "5.7.0" },
  };
}

const EXPRESS = {
  filename: "/app/node_modules/router/lib/layer.js",
  module: "router.lib.layer",
  function: "Layer.handleRequest",
  lineno: 152,
  colno: 17,
  in_app: false,
};

function queries(at: Date): unknown[] {
  const seconds = at.getTime() / 1000;
  return [
    {
      timestamp: seconds - 0.42,
      category: "query",
      message: "SELECT * FROM carts WHERE id = $1",
      data: { "db.system": "postgresql" },
    },
    {
      timestamp: seconds - 0.11,
      category: "http",
      type: "http",
      data: { url: "https://payments.example.net/v2/charges", method: "POST", status_code: 502 },
    },
    {
      timestamp: seconds - 0.01,
      category: "console",
      level: "warning",
      message: "charge refused, no retry left",
    },
  ];
}

const charge: Story = {
  times: 780,
  since: 13.5,
  until: 0,
  releases: RELEASES,
  environments: ENVIRONMENTS,
  event: (random, at) => ({
    ...service(random, "POST", "/orders/:id/charge"),
    tags: {
      provider: random.pick(["adyen", "stripe"]),
      region: random.pick(["eu-1", "us-1"]),
      plan: random.pick(["free", "team", "business"]),
    },
    breadcrumbs: queries(at),
    exception: {
      values: [
        {
          type: "SocketError",
          value: "other side closed",
          mechanism: {
            type: "chained",
            handled: true,
            source: "cause",
            exception_id: 1,
            parent_id: 0,
          },
          stacktrace: {
            frames: [{
              filename: "node:internal/deps/undici/undici",
              module: "undici",
              function: "onSocketEnd",
              lineno: 7432,
              colno: 20,
              in_app: false,
            }],
          },
        },
        {
          type: "PaymentError",
          value: `Cannot charge order ${random.integer(10_000, 99_999)}: provider does not answer`,
          mechanism: { type: "auto.http.express", handled: false, exception_id: 0 },
          stacktrace: {
            frames: [EXPRESS, {
              filename: "/app/src/orders/charge.ts",
              module: "orders.charge",
              function: "chargeOrder",
              lineno: 64,
              colno: 11,
              in_app: true,
              vars: { orderId: random.integer(10_000, 99_999), attempt: 3, amount: "129.00 EUR" },
              ...source(
                [
                  "  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {",
                  "    const charge = await provider.charge(order, attempt);",
                  "    if (charge.accepted) return charge;",
                  "  }",
                ],
                "  throw new PaymentError(`Cannot charge order ${order.id}: provider does not answer`, { cause });",
                ["}", "", "/** Refunds what was charged for a cancelled order. */"],
              ),
            }],
          },
        },
      ],
    },
  }),
};

const pool: Story = {
  times: 340,
  since: 2.1,
  until: 0,
  releases: RELEASES,
  environments: ["production"],
  event: (random, at) => ({
    ...service(random, "GET", "/products/:id"),
    level: "fatal",
    tags: { region: "eu-1" },
    breadcrumbs: queries(at),
    exception: {
      values: [{
        type: "Error",
        value: `timeout exceeded when trying to connect after ${random.integer(5000, 5100)} ms`,
        mechanism: { type: "auto.node.onunhandledrejection", handled: false },
        stacktrace: {
          frames: [
            EXPRESS,
            {
              filename: "/app/src/db/pool.ts",
              module: "db.pool",
              function: "withClient",
              lineno: 23,
              colno: 24,
              in_app: true,
              ...source(
                ["export async function withClient<T>(work: (client: Client) => Promise<T>): Promise<T> {"],
                "  const client = await pool.connect();",
                ["  try {", "    return await work(client);"],
              ),
            },
            {
              filename: "/app/node_modules/pg-pool/index.js",
              module: "pg-pool",
              function: "Pool.connect",
              lineno: 45,
              colno: 11,
              in_app: false,
            },
          ],
        },
      }],
    },
  }),
};

const stock: Story = {
  times: 410,
  since: 12,
  until: 0,
  releases: RELEASES,
  environments: ENVIRONMENTS,
  event: (random, at) => ({
    ...service(random, "PUT", "/carts/:id"),
    level: "warning",
    logentry: {
      message: "Stock below %s for item %s",
      formatted: `Stock below 10 for item ${random.integer(100, 999)}`,
      params: ["10", "?"],
    },
    breadcrumbs: queries(at),
  }),
};

export const nodeStories: readonly Story[] = [charge, pool, stock];
