// Everything at once, through the stock SDK: see client_matrix_test.ts for what has to arrive.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/getsentry/sentry-go"
)

func main() {
	err := sentry.Init(sentry.ClientOptions{
		Dsn:              os.Getenv("SENTRY_DSN"),
		Release:          "shop@1.4.2",
		Environment:      "production",
		AttachStacktrace: true,
		EnableTracing:    true,
		TracesSampleRate: 1,
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	sentry.ConfigureScope(func(scope *sentry.Scope) {
		scope.SetUser(sentry.User{ID: "7", Email: "ann@example.test"})
		scope.SetTag("plan", "team")
	})
	sentry.AddBreadcrumb(&sentry.Breadcrumb{Category: "cart", Message: "checkout started", Level: sentry.LevelInfo})

	transaction := sentry.StartTransaction(context.Background(), "checkout", sentry.WithOpName("task"))
	span := transaction.StartChild("db.query")
	span.Description = "select stock"
	span.Finish()
	sentry.WithScope(func(scope *sentry.Scope) {
		scope.AddAttachment(&sentry.Attachment{Filename: "order.txt", Payload: []byte("order 4711")})
		sentry.CaptureException(fmt.Errorf("Cannot charge order 4711: %w", errors.New("card is null")))
	})
	sentry.NewLogger(transaction.Context()).Warn().Int("item", 4711).Emit("Stock is low")
	transaction.Finish()

	monitor := &sentry.MonitorConfig{Schedule: sentry.CrontabSchedule("0 3 * * *")}
	id := sentry.CaptureCheckIn(&sentry.CheckIn{MonitorSlug: "nightly-report", Status: sentry.CheckInStatusInProgress}, monitor)
	checkIn := &sentry.CheckIn{MonitorSlug: "nightly-report", Status: sentry.CheckInStatusOK, Duration: 2 * time.Second}
	if id != nil {
		checkIn.ID = *id
	}
	sentry.CaptureCheckIn(checkIn, monitor)
	if !sentry.Flush(10 * time.Second) {
		os.Exit(1)
	}
}
