import { type Snippet, TEST_MESSAGE, TRACING_NOTE } from "./snippet.ts";

/** PHP with `sentry/sentry`. */
export const php: Snippet = {
  sdk: "sentry/sentry",
  key: "server",
  steps: (dsn) => [
    { title: "Install", language: "bash", code: "composer require sentry/sentry" },
    {
      title: "Start it in your front controller",
      note: TRACING_NOTE,
      language: "php",
      code: `<?php
require __DIR__ . '/vendor/autoload.php';

\\Sentry\\init([
    'dsn' => '${dsn}',
    'environment' => 'production',
    'release' => 'my-app@1.0.0',
    'traces_sample_rate' => 1.0,
]);`,
    },
    {
      title: "Throw a test error",
      language: "php",
      code: `throw new RuntimeException('${TEST_MESSAGE}');`,
    },
  ],
};
