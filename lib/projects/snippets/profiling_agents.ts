import type { ProfileTarget } from "./profile_target.ts";
import type { SnippetStep } from "./snippet.ts";

/** Agents that push by themselves. */
export function profilesByAgent({ server, publicKey }: ProfileTarget): readonly SnippetStep[] {
  return [{
    title: "Pyroscope's agents",
    note:
      "Those that push to /ingest, as Pyroscope's packages for Node.js, Go and Ruby do; the key may also be the password of " +
      "Basic authentication. Tags env and version become environment and release.",
    language: "javascript",
    code: `import Pyroscope from "@pyroscope/nodejs";

Pyroscope.init({
  appName: "my-service",
  serverAddress: "${server}",
  authToken: "${publicKey}",
  tags: { env: "production", version: "1.0.0" },
});
Pyroscope.start();`,
  }, {
    title: "OpenTelemetry: profiles through a Collector",
    note:
      "Still in development there: the Collector is started with --feature-gates=service.profilesSupport.",
    language: "text",
    code: `exporters:
  otlphttp/watchpost:
    endpoint: ${server}
    profiles_endpoint: ${server}/v1development/profiles
    headers:
      Authorization: Bearer ${publicKey}

service:
  pipelines:
    profiles:
      receivers: [otlp]
      exporters: [otlphttp/watchpost]`,
  }];
}
