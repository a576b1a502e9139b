/** Asking again who one is, before what a stolen session must not be enough for. */
import type { Session } from "../accounts/sessions.ts";
import { Denied, Detour } from "../core/errors.ts";
import { t } from "../core/language/translate.ts";
import { MINUTE_MS } from "../core/time.ts";
import type { State } from "./define.ts";

/** So long a proof of identity is recent. */
export const RECENT_MS = 10 * MINUTE_MS;
/** The page that asks. */
export const CONFIRM_PATH = "/account/confirm";

/** Whether the person has proven who they are in the last ten minutes. @param now milliseconds since 1970 */
export function isRecent(session: Session | null, now: number = Date.now()): boolean {
  const at = session?.authenticatedAt;
  return at !== undefined && now - at.getTime() < RECENT_MS;
}

/**
 * Lets a request pass whose person has proven who they are in the last ten minutes; others are led to the page that asks
 * for it, and back. Ask it before what changes second factors, passkeys, tokens, email, password, single sign-on, and
 * before an organization is deleted. Where a form is long, ask it also where the form is shown: after a form was sent, the
 * way back leads to its empty page.
 *
 * @throws {Denied} 401 for who is not signed in, and a {@linkcode Detour} of 401
 */
export function requireRecent({ state }: { readonly state: State }): void {
  if (state.session === null) throw new Denied(401, t("Sign in first."));
  if (isRecent(state.session)) return;
  throw new Detour(401, t("Confirm that it is you first."), CONFIRM_PATH);
}
