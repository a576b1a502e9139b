import { type Snippet, TEST_MESSAGE, TRACING_NOTE } from "./snippet.ts";

/** Rust with `sentry`. */
export const rust: Snippet = {
  sdk: "sentry",
  key: "server",
  steps: (dsn) => [
    { title: "Install", language: "bash", code: "cargo add sentry" },
    {
      title: "Start it in main, and send a test error",
      note: `The guard sends what is still on its way when main ends. ${TRACING_NOTE}`,
      language: "rust",
      code: `fn main() {
    let _guard = sentry::init((
        "${dsn}",
        sentry::ClientOptions {
            environment: Some("production".into()),
            release: Some("my-app@1.0.0".into()),
            traces_sample_rate: 1.0,
            ..Default::default()
        },
    ));

    panic!("${TEST_MESSAGE}");
}`,
    },
  ],
};
