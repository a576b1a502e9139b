/** How requests that we send are signed, so that a receiver knows that they are ours and not older ones sent again. */
import { createHmac } from "node:crypto";

/**
 * The value of `x-watchpost-signature`: `t=<seconds since 1970>,v1=<HMAC-SHA256 of "t.body" in hex>`.
 *
 * @param now when it is sent
 */
export function signatureOf(secret: string, body: string, now: Date): string {
  const seconds = Math.floor(now.getTime() / 1_000);
  const digest = createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex");
  return `t=${seconds},v1=${digest}`;
}
