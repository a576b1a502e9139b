/** What people call the protocols that transactions come by. */
export const PROTOCOL_WORDS: Readonly<Record<string, string>> = {
  sentry: "Sentry SDK",
  otlp: "OpenTelemetry",
};
