// Everything at once, through the stock SDK: see client_matrix_test.ts for what has to arrive.
import * as Sentry from "@sentry/browser";

Sentry.init({
  dsn: new URLSearchParams(location.search).get("dsn") ?? "",
  release: "shop@1.4.2",
  environment: "production",
  integrations: [Sentry.browserTracingIntegration()],
  tracesSampleRate: 1,
});
Sentry.setUser({ id: "7", email: "ann@example.test" });
Sentry.setTag("plan", "team");
Sentry.addBreadcrumb({ category: "cart", message: "checkout started", level: "info" });

document.querySelector("button")?.addEventListener("click", async () => {
  Sentry.startSpan({ name: "checkout", op: "task", forceTransaction: true }, () => {
    Sentry.startSpan({ name: "select stock", op: "db.query" }, () => {});
    Sentry.captureException(
      new Error("Cannot charge order 4711", { cause: new TypeError("card is null") }),
      { attachments: [{ filename: "order.txt", data: "order 4711" }] },
    );
    Sentry.logger.warn("Stock is low", { item: 4711 });
    Sentry.metrics.count("orders.failed", 1);
  });
  Sentry.captureFeedback({ message: "The button does nothing", email: "ann@example.test" });
  await Sentry.flush(10_000);
  document.title = "sent";
});
