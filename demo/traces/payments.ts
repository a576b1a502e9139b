/** The payment service: Python with Sentry's SDK, slow now and then, since its card network is. */
import type { Scene } from "./scene.ts";
import { answer, call, query } from "./sentry_work.ts";
import type { Thrown, Work } from "./work.ts";

const FAILING = 0.05;
const SLOW = 0.09;
const CARD_NETWORK = "https://api.cardnet.example/v1/authorizations";

/** Charges somebody's card for an order. */
export function charge({ random }: Scene): Work {
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
