import { bearerKey } from "../bearer.ts";
import type { Credentials } from "../credentials.ts";

const ENCODED = /^bearer%20/i;

/**
 * The key in `Authorization`; null when there is none. `OTEL_EXPORTER_OTLP_HEADERS` has its values percent-encoded, which
 * not every SDK undoes.
 */
export function otlpKey(req: Request): Credentials | null {
  const sent = req.headers.get("authorization") ?? "";
  if (!ENCODED.test(sent)) return bearerKey(req);
  const authorization = sent.replace("%20", " ");
  return bearerKey(new Request(req.url, { headers: { authorization } }));
}
