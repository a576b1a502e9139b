// What each JavaScript SDK of the matrix sends, everything at once: see client_matrix_test.ts for what has to arrive.
exports.OPTIONS = {
  release: "shop@1.4.2",
  environment: "production",
  tracesSampleRate: 1,
  enableLogs: true,
  enableMetrics: true,
};

/** Whether everything was sent. What is profiled happens in `work`. */
exports.tell = async (Sentry, work = () => {}) => {
  Sentry.setUser({ id: "7", email: "ann@example.test" });
  Sentry.setTag("plan", "team");
  Sentry.addBreadcrumb({ category: "cart", message: "checkout started", level: "info" });
  Sentry.startSession({ release: "shop@1.4.2" });
  await Sentry.startSpan({ name: "checkout", op: "task" }, async () => {
    await Sentry.startSpan({ name: "select stock", op: "db.query" }, work);
    const error = new Error("Cannot charge order 4711", { cause: new TypeError("card is null") });
    Sentry.captureException(error, {
      attachments: [{ filename: "order.txt", data: "order 4711" }],
    });
    Sentry.logger.warn("Stock is low", { item: 4711 });
    Sentry.metrics?.count("orders.failed", 1);
  });
  const checkInId = Sentry.captureCheckIn(
    { monitorSlug: "nightly-report", status: "in_progress" },
    { schedule: { type: "crontab", value: "0 3 * * *" } },
  );
  Sentry.captureCheckIn({ monitorSlug: "nightly-report", status: "ok", checkInId, duration: 2 });
  Sentry.captureFeedback({ message: "The button does nothing", email: "ann@example.test" });
  Sentry.captureSession(true);
  return await Sentry.flush(10_000);
};
