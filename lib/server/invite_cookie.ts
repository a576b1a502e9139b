/**
 * Where the token of an invitation stays while somebody decides: in a cookie that no script reads, for half an hour. In the
 * address it would be in the history, and in what is sent to the next page.
 */
import type { Config } from "../core/config.ts";
import { HOUR_MS } from "../core/time.ts";
import { readCookie } from "../ui/cookies.ts";

const NAME = "watchpost_invite";
/** Long enough to sign in by a provider on the way. */
const MAX_AGE_SEC = HOUR_MS / 2 / 1000;
/** Of tokens; a cookie takes nothing else. */
const TOKEN = /^[\w-]{43}$/;

/** The token of the invitation that is open in this browser, or null. It is not checked yet. */
export function readInviteToken(request: Request): string | null {
  const token = readCookie(request, NAME);
  return token !== null && TOKEN.test(token) ? token : null;
}

/** The `Set-Cookie` value that keeps a token; of what is none, it takes away what was kept. */
export function inviteCookie(token: string, config: Pick<Config, "baseUrl">): string {
  if (!TOKEN.test(token)) return clearedInviteCookie(config);
  return `${NAME}=${token}; Max-Age=${MAX_AGE_SEC}; ${attributes(config)}`;
}

/** The `Set-Cookie` value that takes it away. */
export function clearedInviteCookie(config: Pick<Config, "baseUrl">): string {
  return `${NAME}=; Max-Age=0; ${attributes(config)}`;
}

/** Lax: whoever follows the link in a mail comes from another site. */
function attributes({ baseUrl }: Pick<Config, "baseUrl">): string {
  return `Path=/; HttpOnly; SameSite=Lax${baseUrl.startsWith("https:") ? "; Secure" : ""}`;
}
