import { otlpTarget } from "./otlp_target.ts";

/** Where profiles go, and with which key. */
export interface ProfileTarget {
  /** Address of uploads, with the parameters that everybody sends. */
  readonly upload: string;
  /** Base address, to which agents add their own paths. */
  readonly server: string;
  readonly publicKey: string;
}

/** Reads a DSN as those who send profiles want to be told. @throws {TypeError} when it is no URL */
export function profileTarget(dsn: string): ProfileTarget {
  const { endpoint, publicKey } = otlpTarget(dsn);
  const parameters = "service=my-service&environment=production";
  return {
    upload: `${endpoint}/api/v1/profiles/pprof?${parameters}`,
    server: endpoint,
    publicKey,
  };
}
