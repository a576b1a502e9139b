// Twenty errors, each after the answer to the one before: on a busy machine the first comes late.
const Sentry = require("@sentry/node");

Sentry.init({ dsn: process.env.SENTRY_DSN });

async function main() {
  for (let index = 0; index < 20; index++) {
    Sentry.captureException(new Error(`Failure ${index}`));
    await Sentry.flush(3000);
  }
}

main().then(() => process.exit(0));
