// A service that fails: an error with a cause, a breadcrumb, a user and tags, through the stock SDK.
package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/getsentry/sentry-go"
)

var errNoStock = errors.New("no stock left")

func reserve(item int) error {
	return fmt.Errorf("cannot reserve item %d: %w", item, errNoStock)
}

func main() {
	err := sentry.Init(sentry.ClientOptions{
		Dsn:              os.Getenv("SENTRY_DSN"),
		Release:          "stock@0.9.0",
		Environment:      "production",
		AttachStacktrace: true,
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	sentry.ConfigureScope(func(scope *sentry.Scope) {
		scope.SetUser(sentry.User{ID: "9", Username: "cem"})
		scope.SetTag("warehouse", "north")
	})
	sentry.AddBreadcrumb(&sentry.Breadcrumb{Category: "stock", Message: "reserve asked", Level: sentry.LevelInfo})
	sentry.CaptureException(reserve(4711))
	if !sentry.Flush(5 * time.Second) {
		os.Exit(1)
	}
}
