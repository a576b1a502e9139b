/** What follows once somebody has proven who they are, whichever way they did. */
import { endSession, startSession } from "../accounts/sessions.ts";
import type { User } from "../accounts/users.ts";
import type { State } from "./define.ts";
import { sessionCookie } from "./session.ts";

/** How identity was proven. */
export type SignInMethod =
  | "password"
  | "passkey"
  | "oidc"
  | "github"
  | "header"
  | "invite"
  | "setup";

export interface Proof {
  readonly user: User;
  readonly method: SignInMethod;
  /** Of OIDC and GitHub: the provider's id. */
  readonly provider?: string;
}

/**
 * Starts a session and sends the browser on. A new one for every sign-in: the one before must not live on in somebody's
 * hands.
 *
 * @param next a path within this service
 */
export async function completeSignIn(
  { state: { services: { kv, config }, sessionToken } }: { readonly state: State },
  { user }: Proof,
  next: string,
): Promise<Response> {
  if (sessionToken !== null) await endSession(kv, sessionToken);
  const { token } = await startSession(kv, user.id);
  const response = new Response(null, { status: 303, headers: { location: next } });
  response.headers.append("set-cookie", sessionCookie(token, config));
  return response;
}
