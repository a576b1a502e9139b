/** The order service: Java with OpenTelemetry's agent, an API and a worker behind a queue. */
import type { Scene } from "./scene.ts";
import { consume, publish, request, respond, statement } from "./otel_work.ts";
import { charge } from "./payments.ts";
import type { LogLine, Thrown, Work } from "./work.ts";

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
