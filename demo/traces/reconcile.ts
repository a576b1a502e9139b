/** The nightly job that compares orders with what the card network booked: one trace of thousands of spans. */
import { request, statement } from "./otel_work.ts";
import type { Scene } from "./scene.ts";
import type { Work } from "./work.ts";

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
