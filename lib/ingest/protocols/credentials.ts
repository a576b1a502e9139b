import { bearerKey } from "../bearer.ts";
import type { Credentials } from "../credentials.ts";
import { Refusal } from "../../core/refusal.ts";

const ENCODED = /^bearer%20/i;

/**
 * The key in `Authorization`. `OTEL_EXPORTER_OTLP_HEADERS` has its values percent-encoded, which not every SDK undoes.
 *
 * @throws {Refusal} 401 when there is none
 */
export function otlpKey(req: Request): Credentials {
  const key = bearerKey(withDecodedBearer(req));
  if (key !== null) return key;
  throw new Refusal(401, "The request has no key: send it as Authorization: Bearer <public key>", {
    kind: "refused",
    reason: "no_key",
  });
}

/** The head of a request with a blank after `Bearer` in `Authorization`, should it have come as `%20`. */
export function withDecodedBearer(req: Request): Request {
  const sent = req.headers.get("authorization") ?? "";
  if (!ENCODED.test(sent)) return req;
  return new Request(req.url, { headers: { authorization: sent.replace("%20", " ") } });
}
