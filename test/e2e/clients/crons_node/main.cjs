// A job that ends well, and one that throws, with what Sentry's helper makes of them.
const Sentry = require("@sentry/node");

Sentry.init({ dsn: process.env.SENTRY_DSN, environment: "nightly", tracesSampleRate: 1 });

const config = {
  schedule: { type: "crontab", value: "0 3 * * *" },
  timezone: "Europe/Berlin",
  checkinMargin: 5,
  maxRuntime: 30,
};

async function main() {
  await Sentry.withMonitor("node-good", () => new Promise((done) => setTimeout(done, 50)), config);
  try {
    await Sentry.withMonitor("node-bad", () => {
      Sentry.captureException(new Error("the disk is full"));
      throw new Error("the backup failed");
    }, config);
  } catch {
    // The job has failed, as it should.
  }
  await Sentry.close(5_000);
}

main();
