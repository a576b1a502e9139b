const Sentry = require("@sentry/bun");
const { OPTIONS, tell } = require("./story.cjs");

Sentry.init({ ...OPTIONS, dsn: process.env.SENTRY_DSN });
tell(Sentry).then((isSent) => process.exit(isSent ? 0 : 1));
