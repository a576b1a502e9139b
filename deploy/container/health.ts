/** The health check of the image, which has no curl: ends with 0 when `/healthz` answers at this machine's own address. */
import { readConfig } from "../../lib/core/config.ts";

const LIMIT_MS = 4_000;
/** Where to ask whoever listens everywhere. */
const OWN: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "[::1]" };

const { host, port, tls } = readConfig(Deno.env.toObject());
const address = OWN[host] ?? (host.includes(":") ? `[${host}]` : host);
try {
  const url = `http${tls === null ? "" : "s"}://${address}:${port}/healthz`;
  const { status } = await fetch(url, { signal: AbortSignal.timeout(LIMIT_MS) });
  if (status !== 200) throw new Error(`${url} answers ${status}`);
  Deno.exit(0);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  Deno.exit(1);
}
