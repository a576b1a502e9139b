// A shop that counts: see metrics_story.ts for what.
const Sentry = require("@sentry/node");

Sentry.init({
  dsn: process.env.SENTRY_DSN,
  release: "1.4.2",
  environment: "production",
});

async function main() {
  const { metrics } = Sentry;
  metrics.count("shop.orders", 3, { attributes: { payment: "card" } });
  metrics.count("shop.orders", 2, { attributes: { payment: "cash" } });
  metrics.gauge("shop.queue.length", 9);
  for (const seconds of [0.02, 0.2, 0.7]) {
    metrics.distribution("shop.checkout.duration", seconds, { unit: "second" });
  }
  await Sentry.flush(5000);

  metrics.count("shop.orders", 4, { attributes: { payment: "card" } });
  metrics.gauge("shop.queue.length", 4);
  for (const seconds of [1.4, 3.2]) {
    metrics.distribution("shop.checkout.duration", seconds, { unit: "second" });
  }
  await Sentry.close(5000);
}

main();
