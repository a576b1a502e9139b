/** How to send errors and traces with Sentry's SDKs. */
import { type Snippet, snippet } from "./snippet.ts";

/** What the test error of every snippet says, so that it is recognised on the Issues page. */
export const TEST_MESSAGE = "First error for Watchpost";

/** What the rate of traces in every snippet means. */
export const TRACING_NOTE =
  "The sample rate is the share of traces that is sent, 1.0 for all: the pages count up what a lower one leaves out.";

/** One for each platform, in the order of the Setup page. */
export const SDKS: readonly Snippet[] = [
  snippet(
    { platform: "javascript", label: "Browser", sdk: "@sentry/browser", key: "browser" },
    ({ dsn }) =>
      String.raw`
## Install
~~~bash
npm install @sentry/browser
~~~
## Start it before your own code
${TRACING_NOTE}
~~~javascript
import * as Sentry from "@sentry/browser";

Sentry.init({
  dsn: "${dsn}",
  environment: "production",
  release: "my-app@1.0.0",
  integrations: [Sentry.browserTracingIntegration()],
  tracesSampleRate: 1.0,
});
~~~
## Throw a test error
The page's own load is sent too. From a button or a timer: errors typed into the console are not
reported.
~~~javascript
setTimeout(() => {
  throw new Error("${TEST_MESSAGE}");
});
~~~
`,
  ),
  snippet(
    { platform: "node", label: "Node", sdk: "@sentry/node", key: "server" },
    ({ dsn }) =>
      String.raw`
## Install
~~~bash
npm install @sentry/node
~~~
## Save as instrument.mjs
Imported before everything else, so that it sees all that follows. ${TRACING_NOTE}
~~~javascript
import * as Sentry from "@sentry/node";

Sentry.init({
  dsn: "${dsn}",
  environment: "production",
  release: "my-app@1.0.0",
  tracesSampleRate: 1.0,
});
~~~
## Throw a test error
Save as test-error.mjs and run: node test-error.mjs
~~~javascript
import "./instrument.mjs";

setTimeout(() => {
  throw new Error("${TEST_MESSAGE}");
});
~~~
`,
  ),
  snippet(
    { platform: "python", label: "Python", sdk: "sentry-sdk", key: "server" },
    ({ dsn }) =>
      String.raw`
## Install
~~~bash
pip install sentry-sdk
~~~
## Start it first thing in your program
Django, Flask, FastAPI, Celery and others are found by themselves. ${TRACING_NOTE}
~~~python
import sentry_sdk

sentry_sdk.init(
    dsn="${dsn}",
    environment="production",
    release="my-app@1.0.0",
    traces_sample_rate=1.0,
)
~~~
## Raise a test error
~~~python
raise RuntimeError("${TEST_MESSAGE}")
~~~
`,
  ),
  snippet(
    { platform: "php", label: "PHP", sdk: "sentry/sentry", key: "server" },
    ({ dsn }) =>
      String.raw`
## Install
~~~bash
composer require sentry/sentry
~~~
## Start it in your front controller
${TRACING_NOTE}
~~~php
<?php
require __DIR__ . '/vendor/autoload.php';

\Sentry\init([
    'dsn' => '${dsn}',
    'environment' => 'production',
    'release' => 'my-app@1.0.0',
    'traces_sample_rate' => 1.0,
]);
~~~
## Throw a test error
~~~php
throw new RuntimeException('${TEST_MESSAGE}');
~~~
`,
  ),
  snippet(
    { platform: "go", label: "Go", sdk: "sentry-go", key: "server" },
    ({ dsn }) =>
      String.raw`
## Install
~~~bash
go get github.com/getsentry/sentry-go
~~~
## Start it in main, and send a test error
Flush waits for what is still on its way before the program ends. ${TRACING_NOTE}
~~~go
package main

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
}
~~~
`,
  ),
  snippet(
    { platform: "java", label: "Java", sdk: "io.sentry:sentry", key: "server" },
    ({ dsn }) =>
      String.raw`
## Install
For Gradle; with Spring Boot 3 take sentry-spring-boot-starter-jakarta, which reads sentry.dsn from
its properties.
~~~bash
implementation("io.sentry:sentry:8.+")
~~~
## Start it in main, and send a test error
${TRACING_NOTE}
~~~java
import io.sentry.Sentry;

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
}
~~~
`,
  ),
  snippet(
    { platform: "ruby", label: "Ruby", sdk: "sentry-ruby", key: "server" },
    ({ dsn }) =>
      String.raw`
## Install
With Rails add sentry-rails, with Sidekiq sentry-sidekiq.
~~~bash
bundle add sentry-ruby
~~~
## Start it first thing in your program
With Rails in config/initializers/sentry.rb. ${TRACING_NOTE}
~~~ruby
require "sentry-ruby"

Sentry.init do |config|
  config.dsn = "${dsn}"
  config.environment = "production"
  config.release = "my-app@1.0.0"
  config.traces_sample_rate = 1.0
end
~~~
## Send a test error
~~~ruby
Sentry.capture_exception(RuntimeError.new("${TEST_MESSAGE}"))
~~~
`,
  ),
  snippet(
    { platform: "dotnet", label: ".NET", sdk: "Sentry", key: "server" },
    ({ dsn }) =>
      String.raw`
## Install
With ASP.NET Core take Sentry.AspNetCore, and builder.WebHost.UseSentry(…) with the same options.
~~~bash
dotnet add package Sentry
~~~
## Start it in Program.cs, and send a test error
${TRACING_NOTE}
~~~csharp
using Sentry;

using var sentry = SentrySdk.Init(options =>
{
    options.Dsn = "${dsn}";
    options.Environment = "production";
    options.Release = "my-app@1.0.0";
    options.TracesSampleRate = 1.0;
});

SentrySdk.CaptureException(new Exception("${TEST_MESSAGE}"));
~~~
`,
  ),
  snippet(
    { platform: "rust", label: "Rust", sdk: "sentry", key: "server" },
    ({ dsn }) =>
      String.raw`
## Install
~~~bash
cargo add sentry
~~~
## Start it in main, and send a test error
The guard sends what is still on its way when main ends. ${TRACING_NOTE}
~~~rust
fn main() {
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
}
~~~
`,
  ),
];
