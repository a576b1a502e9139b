module example.test/failing

go 1.23

require github.com/getsentry/sentry-go v0.47.0
