// A program that works in a transaction under Sentry's profiler, with whichever version is beside it: see
// profiling_sentry_test.ts for what has to arrive.
const Sentry = require("@sentry/node");
const { nodeProfilingIntegration } = require("@sentry/profiling-node");

const isContinuous = process.env.PROFILING === "continuous";

Sentry.init({
  dsn: process.env.SENTRY_DSN,
  release: "shop@1.4.2",
  environment: "production",
  tracesSampleRate: 1,
  integrations: [nodeProfilingIntegration()],
  ...(isContinuous
    ? { profileSessionSampleRate: 1, profileLifecycle: "trace" }
    : { profilesSampleRate: 1 }),
});

function priceOf(depth) {
  return depth < 2 ? depth : priceOf(depth - 1) + priceOf(depth - 2);
}

function computePrices(milliseconds) {
  const end = Date.now() + milliseconds;
  while (Date.now() < end) priceOf(20);
}

async function main() {
  await Sentry.startSpan({ name: "checkout", op: "task" }, async () => {
    Sentry.startSpan({ name: "prices", op: "function" }, () => computePrices(600));
    await new Promise((resolve) => setTimeout(resolve, 20));
  });
  await new Promise((resolve) => setTimeout(resolve, 200));
  process.exit(await Sentry.close(10_000) ? 0 : 1);
}

main();
