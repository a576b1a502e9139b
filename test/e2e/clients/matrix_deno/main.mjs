// Everything at once, through the stock SDK: see client_matrix_test.ts for what has to arrive.
import * as Sentry from "npm:@sentry/deno@10.75.2";

Sentry.init({
  dsn: Deno.env.get("SENTRY_DSN"),
  release: "shop@1.4.2",
  environment: "production",
  tracesSampleRate: 1,
  enableLogs: true,
  enableMetrics: true,
});

Sentry.setUser({ id: "7", email: "ann@example.test" });
Sentry.setTag("plan", "team");
Sentry.addBreadcrumb({ category: "cart", message: "checkout started", level: "info" });

async function main() {
  Sentry.startSession({ release: "shop@1.4.2" });
  await Sentry.startSpan({ name: "checkout", op: "task" }, async () => {
    await Sentry.startSpan({ name: "select stock", op: "db.query" }, async () => {});
    const error = new Error("Cannot charge order 4711", { cause: new TypeError("card is null") });
    Sentry.captureException(error, {
      attachments: [{ filename: "order.txt", data: "order 4711" }],
    });
    Sentry.logger.warn("Stock is low", { item: 4711 });
    Sentry.metrics.count("orders.failed", 1);
  });
  const checkInId = Sentry.captureCheckIn(
    { monitorSlug: "nightly-report", status: "in_progress" },
    { schedule: { type: "crontab", value: "0 3 * * *" } },
  );
  Sentry.captureCheckIn({ monitorSlug: "nightly-report", status: "ok", checkInId, duration: 2 });
  Sentry.captureFeedback({ message: "The button does nothing", email: "ann@example.test" });
  Sentry.captureSession(true);
  if (!await Sentry.flush(10_000)) Deno.exit(1);
}

main().then(() => Deno.exit(0));
