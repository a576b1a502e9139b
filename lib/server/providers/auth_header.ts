/** What a reverse proxy says of who is signed in; see `SERVICE_AUTH_HEADER` in `docs/settings.md`. */
import { normalizeEmail } from "../../accounts/names.ts";
import { findIdentity } from "../../accounts/providers/identities.ts";
import type { User } from "../../accounts/users.ts";
import { isInNetwork } from "../../core/addresses.ts";
import type { Config } from "../../core/config.ts";

/** Of identities that a proxy names, in place of a provider's issuer. */
export const HEADER_ISSUER = "header";

/** A request with the other end of its connection. */
export interface Connected {
  readonly req: Request;
  readonly info: { readonly remoteAddr: Deno.Addr };
}

/**
 * The email address that a trusted proxy names, or null: the header is not sent, has no address, or comes from elsewhere.
 * The connection's own other end counts: `X-Forwarded-For` is what anybody may write.
 */
export function namedByProxy(
  { req, info: { remoteAddr } }: Connected,
  { authHeader }: Pick<Config, "authHeader">,
): string | null {
  if (authHeader === null || !("hostname" in remoteAddr)) return null;
  const { hostname } = remoteAddr;
  const value = req.headers.get(authHeader.name);
  // Sent twice it has a comma: then not only the proxy has written it.
  if (value === null || value.includes(",")) return null;
  if (!authHeader.from.some((network) => isInNetwork(hostname, network))) return null;
  return normalizeEmail(value);
}

/** Whether the proxy still names the person whose session began by it. */
export async function isStillNamed(
  ctx: Connected,
  { kv, config }: { readonly kv: Deno.Kv; readonly config: Pick<Config, "authHeader"> },
  user: Pick<User, "id">,
): Promise<boolean> {
  const email = namedByProxy(ctx, config);
  if (email === null) return false;
  const found = await findIdentity(kv, { issuer: HEADER_ISSUER, subject: email });
  return found?.user.id === user.id;
}
