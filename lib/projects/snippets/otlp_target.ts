/** Where OTLP goes, and with which key. */
export interface OtlpTarget {
  /** Base address, to which exporters add `/v1/traces`, `/v1/logs` and `/v1/metrics`. */
  readonly endpoint: string;
  readonly publicKey: string;
}

/** Reads a DSN as OpenTelemetry's exporters want to be told. @throws {TypeError} when it is no URL */
export function otlpTarget(dsn: string): OtlpTarget {
  const { protocol, host, pathname, username } = new URL(dsn);
  const prefix = pathname.slice(0, pathname.lastIndexOf("/"));
  return { endpoint: `${protocol}//${host}${prefix}`, publicKey: username };
}
