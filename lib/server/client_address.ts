/**
 * The address a request comes from: the TCP peer, or the nearest entry of `X-Forwarded-For` that our
 * own proxy added when the settings say that there is one.
 *
 * @param peer address of the TCP peer
 * @param trustProxy `Config.trustProxy`
 */
export function clientAddress(headers: Headers, peer: Deno.Addr, trustProxy: boolean): string {
  const forwarded = trustProxy ? headers.get("x-forwarded-for") : null;
  // The last entry is what our proxy saw; everything before it is the client's own claim.
  const nearest = forwarded?.split(",").at(-1)?.trim();
  if (nearest) return nearest;
  return "hostname" in peer ? peer.hostname : "local";
}
