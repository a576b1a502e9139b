import type { SnippetStep } from "./snippet.ts";

/** Sentry's SDKs profile what they trace. */
export function profilesBySdk(dsn: string): readonly SnippetStep[] {
  return [{
    title: "Node.js with Sentry's SDK",
    note:
      "npm install @sentry/profiling-node. Profiles run while there is a trace, and are found in it. " +
      "Older versions want profilesSampleRate: 1.0 in place of the last two options.",
    language: "javascript",
    code: `import * as Sentry from "@sentry/node";
import { nodeProfilingIntegration } from "@sentry/profiling-node";

Sentry.init({
  dsn: "${dsn}",
  integrations: [nodeProfilingIntegration()],
  tracesSampleRate: 1.0,
  profileSessionSampleRate: 1.0,
  profileLifecycle: "trace",
});`,
  }, {
    title: "Python with Sentry's SDK",
    note:
      "With profiles_sample_rate=1.0 in place of the last two options, each transaction has a profile of its own.",
    language: "python",
    code: `import sentry_sdk

sentry_sdk.init(
    dsn="${dsn}",
    traces_sample_rate=1.0,
    profile_session_sample_rate=1.0,
    profile_lifecycle="trace",
)`,
  }];
}
