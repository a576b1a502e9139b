const Sentry = require("@sentry/node");
const { nodeProfilingIntegration } = require("@sentry/profiling-node");
const { OPTIONS, tell } = require("./story.cjs");

Sentry.init({
  ...OPTIONS,
  dsn: process.env.SENTRY_DSN,
  integrations: [nodeProfilingIntegration()],
  profilesSampleRate: 1,
});

/** A profile needs something to sample. */
function work() {
  const end = Date.now() + 300;
  while (Date.now() < end);
}

tell(Sentry, work).then((isSent) => process.exit(isSent ? 0 : 1));
