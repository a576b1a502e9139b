import { HttpError } from "fresh";
import { sameSecret } from "../../accounts/secrets.ts";
import { exposition } from "../../core/measures/exposition.ts";
import type { Services } from "../services.ts";
import { collect } from "./collect.ts";

/**
 * Answers `GET /metrics` for those who have the token of the settings.
 *
 * @throws {HttpError} 404 while the settings have none
 */
export async function answerMetrics({ headers }: Request, services: Services): Promise<Response> {
  const { metricsToken } = services.config;
  if (metricsToken === null) throw new HttpError(404);
  const sent = /^Bearer +(\S+) *$/i.exec(headers.get("authorization") ?? "")?.[1] ?? "";
  if (!sameSecret(sent, metricsToken)) {
    return new Response("Send the token of SERVICE_METRICS_TOKEN: Authorization: Bearer …\n", {
      status: 401,
      headers: { "www-authenticate": 'Bearer realm="metrics"', "cache-control": "no-store" },
    });
  }
  const { contentType, text } = exposition(await collect(services), headers.get("accept"));
  return new Response(text, {
    headers: {
      "content-type": contentType,
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      vary: "accept",
    },
  });
}
