// A shop that fails: an error with a cause, a breadcrumb, a user and tags, through the stock SDK.
const Sentry = require("@sentry/node");

Sentry.init({
  dsn: process.env.SENTRY_DSN,
  release: "shop@1.4.2",
  environment: "production",
});

class PaymentError extends Error {
  name = "PaymentError";
}

function chargeCard(order) {
  try {
    order.card.number.trim();
  } catch (cause) {
    throw new PaymentError(`Cannot charge order ${order.id}`, { cause });
  }
}

Sentry.setUser({ id: "7", email: "ann@example.test" });
Sentry.setTag("plan", "team");
Sentry.addBreadcrumb({ category: "cart", message: "checkout started", level: "info" });

try {
  chargeCard({ id: 4711 });
} catch (error) {
  Sentry.captureException(error);
}
Sentry.captureMessage("Stock below 10 for item 4711", "warning");

Sentry.flush(5000).then((sent) => process.exit(sent ? 0 : 1));
