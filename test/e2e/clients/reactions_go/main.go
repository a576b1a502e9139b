// Twenty errors one after the other, whatever the server answers.
package main

import (
	"fmt"
	"os"
	"time"

	"github.com/getsentry/sentry-go"
)

func main() {
	if err := sentry.Init(sentry.ClientOptions{Dsn: os.Getenv("SENTRY_DSN")}); err != nil {
		os.Exit(1)
	}
	for index := range 20 {
		sentry.CaptureException(fmt.Errorf("Failure %d", index))
		time.Sleep(30 * time.Millisecond)
	}
	sentry.Flush(3 * time.Second)
}
