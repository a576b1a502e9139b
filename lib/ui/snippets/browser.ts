import { type Snippet, TEST_MESSAGE } from "./snippet.ts";

/** JavaScript in the browser with `@sentry/browser` and a bundler. */
export const browser: Snippet = {
  sdk: "@sentry/browser",
  key: "browser",
  steps: (dsn) => [
    { title: "Install", language: "bash", code: "npm install @sentry/browser" },
    {
      title: "Start it before your own code",
      language: "javascript",
      code: `import * as Sentry from "@sentry/browser";

Sentry.init({
  dsn: "${dsn}",
  environment: "production",
  release: "my-app@1.0.0",
});`,
    },
    {
      title: "Throw a test error",
      note: "From a button or a timer: errors typed into the console are not reported.",
      language: "javascript",
      code: `setTimeout(() => {
  throw new Error("${TEST_MESSAGE}");
});`,
    },
  ],
};
