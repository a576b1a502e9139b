import { type Snippet, TEST_MESSAGE, TRACING_NOTE } from "./snippet.ts";

/** Ruby with `sentry-ruby`. */
export const ruby: Snippet = {
  sdk: "sentry-ruby",
  key: "server",
  steps: (dsn) => [
    {
      title: "Install",
      note: "With Rails add sentry-rails, with Sidekiq sentry-sidekiq.",
      language: "bash",
      code: "bundle add sentry-ruby",
    },
    {
      title: "Start it first thing in your program",
      note: `With Rails in config/initializers/sentry.rb. ${TRACING_NOTE}`,
      language: "ruby",
      code: `require "sentry-ruby"

Sentry.init do |config|
  config.dsn = "${dsn}"
  config.environment = "production"
  config.release = "my-app@1.0.0"
  config.traces_sample_rate = 1.0
end`,
    },
    {
      title: "Send a test error",
      language: "ruby",
      code: `Sentry.capture_exception(RuntimeError.new("${TEST_MESSAGE}"))`,
    },
  ],
};
