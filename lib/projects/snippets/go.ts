import { type Snippet, TEST_MESSAGE, TRACING_NOTE } from "./snippet.ts";

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
