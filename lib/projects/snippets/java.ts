import { type Snippet, TEST_MESSAGE, TRACING_NOTE } from "./snippet.ts";

/** Java and Kotlin with `io.sentry:sentry`. */
export const java: Snippet = {
  sdk: "io.sentry:sentry",
  key: "server",
  steps: (dsn) => [
    {
      title: "Install",
      note:
        "For Gradle; with Spring Boot 3 take sentry-spring-boot-starter-jakarta, which reads sentry.dsn from its properties.",
      language: "bash",
      code: `implementation("io.sentry:sentry:8.+")`,
    },
    {
      title: "Start it in main, and send a test error",
      note: TRACING_NOTE,
      language: "java",
      code: `import io.sentry.Sentry;

public class Main {
  public static void main(String[] args) {
    Sentry.init(options -> {
      options.setDsn("${dsn}");
      options.setEnvironment("production");
      options.setRelease("my-app@1.0.0");
      options.setTracesSampleRate(1.0);
    });
    Sentry.captureException(new RuntimeException("${TEST_MESSAGE}"));
    Sentry.close();
  }
}`,
    },
  ],
};
