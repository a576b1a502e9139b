/** The token of a link that was sent to somebody: out of the address bar at once, into a cookie of this browser. */
import { DAY_MS, SECOND_MS } from "../../core/time.ts";
import { readCookie } from "../../ui/cookies.ts";
import type { Config } from "../../core/config.ts";
import { ownCookie } from "../session.ts";

interface Asking {
  readonly req: Request;
  readonly url: URL;
  readonly state: { readonly services: { readonly config: Config } };
}

const NAME = "link";
/** The store ends links by itself. */
const MAX_AGE_SEC = DAY_MS / SECOND_MS;
/** 43 characters of base64url. */
const TOKEN = /^[\w-]{43}$/;

/** Sends on who opened a link, without its token in the address; null for who is there already. */
export function withoutToken({ url, state }: Asking): Response | null {
  const token = url.searchParams.get("token");
  if (token === null) return null;
  const value = TOKEN.test(token) ? token : "none";
  const cookie = ownCookie(NAME, value, MAX_AGE_SEC, state.services.config).set;
  return new Response(null, {
    status: 303,
    headers: { ...SECRET_PAGE, location: url.pathname, "set-cookie": cookie },
  });
}

/** The token of the link that this browser opened last, or null. */
export function readLinkToken({ req, state }: Pick<Asking, "req" | "state">): string | null {
  return readCookie(req, ownCookie(NAME, "", 0, state.services.config).name);
}

/** The `Set-Cookie` value that takes it away: the link is used up. */
export function clearedLinkToken({ state }: Pick<Asking, "state">): string {
  return ownCookie(NAME, "", 0, state.services.config).cleared;
}

/** Of answers about such a link: nobody keeps them, and no other site learns where somebody came from. */
export const SECRET_PAGE = {
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
} as const;
