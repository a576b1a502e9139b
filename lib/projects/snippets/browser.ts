import { type Snippet, TEST_MESSAGE, TRACING_NOTE } from "./snippet.ts";

/** JavaScript in the browser with `@sentry/browser` and a bundler. */
export const browser: Snippet = {
  sdk: "@sentry/browser",
  key: "browser",
  steps: (dsn) => [
    { title: "Install", language: "bash", code: "npm install @sentry/browser" },
    {
      title: "Start it before your own code",
      note: TRACING_NOTE,
      language: "javascript",
      code: `import * as Sentry from "@sentry/browser";

Sentry.init({
  dsn: "${dsn}",
  environment: "production",
  release: "my-app@1.0.0",
  integrations: [Sentry.browserTracingIntegration()],
  tracesSampleRate: 1.0,
});`,
    },
    {
      title: "Throw a test error",
      note:
        "The page's own load is sent too. From a button or a timer: errors typed into the console are not reported.",
      language: "javascript",
      code: `setTimeout(() => {
  throw new Error("${TEST_MESSAGE}");
});`,
    },
  ],
};
