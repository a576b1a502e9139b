import { type Snippet, TEST_MESSAGE, TRACING_NOTE } from "./snippet.ts";

/** Node.js with `@sentry/node`. */
export const node: Snippet = {
  sdk: "@sentry/node",
  key: "server",
  steps: (dsn) => [
    { title: "Install", language: "bash", code: "npm install @sentry/node" },
    {
      title: "Save as instrument.mjs",
      note: `Imported before everything else, so that it sees all that follows. ${TRACING_NOTE}`,
      language: "javascript",
      code: `import * as Sentry from "@sentry/node";

Sentry.init({
  dsn: "${dsn}",
  environment: "production",
  release: "my-app@1.0.0",
  tracesSampleRate: 1.0,
});`,
    },
    {
      title: "Throw a test error",
      note: "Save as test-error.mjs and run: node test-error.mjs",
      language: "javascript",
      code: `import "./instrument.mjs";

setTimeout(() => {
  throw new Error("${TEST_MESSAGE}");
});`,
    },
  ],
};
