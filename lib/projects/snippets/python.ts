import { type Snippet, TEST_MESSAGE, TRACING_NOTE } from "./snippet.ts";

/** Python with `sentry-sdk`. */
export const python: Snippet = {
  sdk: "sentry-sdk",
  key: "server",
  steps: (dsn) => [
    { title: "Install", language: "bash", code: "pip install sentry-sdk" },
    {
      title: "Start it first thing in your program",
      note: `Django, Flask, FastAPI, Celery and others are found by themselves. ${TRACING_NOTE}`,
      language: "python",
      code: `import sentry_sdk

sentry_sdk.init(
    dsn="${dsn}",
    environment="production",
    release="my-app@1.0.0",
    traces_sample_rate=1.0,
)`,
    },
    {
      title: "Raise a test error",
      language: "python",
      code: `raise RuntimeError("${TEST_MESSAGE}")`,
    },
  ],
};
