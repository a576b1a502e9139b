/** Settings of OpenTelemetry's SDKs, which all read the same variables. */
import type { FaultyLink } from "../../support/faulty_link.ts";

export interface OtelFormat {
  readonly protocol: "http/protobuf" | "http/json";
  readonly isGzipped: boolean;
}

/** What every service of these tests says of itself. */
export const RESOURCE = {
  service: "shop-api",
  release: "1.4.2",
  environment: "production",
};

export interface OtelTarget extends OtelFormat {
  /** Of Watchpost or a collector, without a path. */
  readonly endpoint: string;
  /** `""`: none is sent. */
  readonly publicKey: string;
  /** Names of exporters, where an SDK has another one for each encoding. */
  readonly exporter?: string;
}

/** The variables that make a service send its spans and logs, ten times a second. */
export function otelEnv(
  { endpoint, publicKey, protocol, isGzipped, exporter = "otlp" }: OtelTarget,
): Record<string, string> {
  return {
    OTEL_DENO: "true",
    OTEL_SERVICE_NAME: RESOURCE.service,
    OTEL_RESOURCE_ATTRIBUTES:
      `service.version=${RESOURCE.release},deployment.environment.name=${RESOURCE.environment}`,
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
    ...(publicKey !== "" && { OTEL_EXPORTER_OTLP_HEADERS: `Authorization=Bearer%20${publicKey}` }),
    ...(isGzipped && { OTEL_EXPORTER_OTLP_COMPRESSION: "gzip" }),
    OTEL_TRACES_EXPORTER: exporter,
    OTEL_LOGS_EXPORTER: exporter,
    OTEL_METRICS_EXPORTER: "none",
    OTEL_BSP_SCHEDULE_DELAY: "100",
    OTEL_BLRP_SCHEDULE_DELAY: "100",
    OTEL_PROPAGATORS: "tracecontext",
  };
}

/** The variables that lead Postgres drivers to the database behind a link. */
export function postgresEnv({ sql }: FaultyLink): Record<string, string> {
  const { port: [port], database, user, pass } = sql.options;
  return {
    PGHOST: "127.0.0.1",
    PGPORT: String(port),
    PGDATABASE: database,
    PGUSER: user,
    PGPASSWORD: typeof pass === "string" ? pass : "",
  };
}

/** The key in a DSN. */
export function publicKeyOf(dsn: string): string {
  return new URL(dsn).username;
}
