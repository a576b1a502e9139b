// Twenty errors one after the other, whatever the server answers.
const Sentry = require("@sentry/node");

Sentry.init({ dsn: process.env.SENTRY_DSN });

async function main() {
  for (let index = 0; index < 20; index++) {
    Sentry.captureException(new Error(`Failure ${index}`));
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
  await Sentry.flush(3000);
}

main().then(() => process.exit(0));
