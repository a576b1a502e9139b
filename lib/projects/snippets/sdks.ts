import type { Language } from "../../ui/components/highlight.ts";

/** One thing to paste, in the order of the page. */
export interface SnippetStep {
  /** What to do with it, as "Install". */
  readonly title: string;
  readonly language: Language;
  readonly code: string;
  /** A sentence under the title. */
  readonly note?: string;
}

/** How to send errors and traces from one kind of app. */
export interface Snippet {
  /** The SDK's name on the page, as "@sentry/node". */
  readonly sdk: string;
  /** Which of the project's keys belongs into it: a browser shows its key to everybody. */
  readonly key: "server" | "browser";
  /** Another kind of key is refused. @default false */
  readonly isKeyStrict?: boolean;
  /** One way or another is enough, so they have no numbers. @default false */
  readonly isChoice?: boolean;
  /** The steps with `dsn` filled in. */
  steps(dsn: string): readonly SnippetStep[];
}

/** What the test error of every snippet says, so that it is recognised on the Issues page. */
export const TEST_MESSAGE = "First error for Watchpost";

/** What the rate of traces in every snippet means. */
export const TRACING_NOTE =
  "The sample rate is the share of traces that is sent, 1.0 for all: the pages count up what a lower one leaves out.";

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

/** Go with `sentry-go`. */
export const go: Snippet = {
  sdk: "sentry-go",
  key: "server",
  steps: (dsn) => [
    { title: "Install", language: "bash", code: "go get github.com/getsentry/sentry-go" },
    {
      title: "Start it in main, and send a test error",
      note: `Flush waits for what is still on its way before the program ends. ${TRACING_NOTE}`,
      language: "go",
      code: `package main

import (
	"errors"
	"log"
	"time"

	"github.com/getsentry/sentry-go"
)

func main() {
	err := sentry.Init(sentry.ClientOptions{
		Dsn:              "${dsn}",
		Environment:      "production",
		Release:          "my-app@1.0.0",
		EnableTracing:    true,
		TracesSampleRate: 1.0,
	})
	if err != nil {
		log.Fatalf("cannot start sentry: %s", err)
	}
	defer sentry.Flush(2 * time.Second)

	sentry.CaptureException(errors.New("${TEST_MESSAGE}"))
}`,
    },
  ],
};

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

/** .NET with `Sentry`. */
export const dotnet: Snippet = {
  sdk: "Sentry",
  key: "server",
  steps: (dsn) => [
    {
      title: "Install",
      note:
        "With ASP.NET Core take Sentry.AspNetCore, and builder.WebHost.UseSentry(…) with the same options.",
      language: "bash",
      code: "dotnet add package Sentry",
    },
    {
      title: "Start it in Program.cs, and send a test error",
      note: TRACING_NOTE,
      language: "csharp",
      code: `using Sentry;

using var sentry = SentrySdk.Init(options =>
{
    options.Dsn = "${dsn}";
    options.Environment = "production";
    options.Release = "my-app@1.0.0";
    options.TracesSampleRate = 1.0;
});

SentrySdk.CaptureException(new Exception("${TEST_MESSAGE}"));`,
    },
  ],
};

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
