import { bearerKey } from "../bearer.ts";
import type { Credentials } from "../credentials.ts";
import { Refusal } from "../refusal.ts";

const ENCODED = /^bearer%20/i;

/**
 * The key in `Authorization`. `OTEL_EXPORTER_OTLP_HEADERS` has its values percent-encoded, which not every SDK undoes.
 *
 * @throws {Refusal} 401 when there is none
 */
export function otlpKey(req: Request): Credentials {
  const sent = req.headers.get("authorization") ?? "";
  const key = bearerKey(ENCODED.test(sent) ? withBlank(req, sent) : req);
  if (key !== null) return key;
  throw new Refusal(401, "The request has no key: send it as Authorization: Bearer <public key>", {
    kind: "refused",
    reason: "no_key",
  });
}

function withBlank({ url }: Request, sent: string): Request {
  return new Request(url, { headers: { authorization: sent.replace("%20", " ") } });
}
