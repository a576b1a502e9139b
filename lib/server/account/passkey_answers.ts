/** What the script of passkeys is answered: options with their challenge, where to go, or what was wrong. */
import { authenticationOptions, provePasskey, relyingParty } from "../../accounts/passkeys.ts";
import type { User } from "../../accounts/users.ts";
import { addressGroup, countAttempt } from "../../accounts/attempts.ts";
import { Denied } from "../../core/errors.ts";
import { t } from "../../core/language/translate.ts";
import type { State } from "../define.ts";
import { type ChallengePurpose, makeChallenge, takeChallenge } from "./challenge.ts";

interface Asking {
  readonly req: Request;
  readonly state: State;
}

/** Options with the cookie of their challenge. */
export function optionsAnswer(options: unknown, cookie: string): Response {
  return Response.json({ options }, { headers: { "set-cookie": cookie, ...NO_STORE } });
}

/** Where to go, with the cookies of a redirect. */
export function goOn(redirect: Response): Response {
  const headers = new Headers(NO_STORE);
  redirect.headers.getSetCookie().forEach((cookie) => headers.append("set-cookie", cookie));
  return Response.json({ location: redirect.headers.get("location") }, { headers });
}

/** What was wrong. */
export function problemAnswer(error: string, status = 422): Response {
  return Response.json({ error }, { status, headers: NO_STORE });
}

const NO_STORE = { "cache-control": "no-store" };

/** At an address whose passkeys could not be used: the pages do not offer them. */
export function noPasskeysAnswer(): Response {
  return problemAnswer(
    t("Passkeys need a name for this Watchpost, not an IP address, and https."),
    400,
  );
}

/** Tries of one address: each costs a signature to check. */
const MAX_TRIES = 60;
const WINDOW_SEC = 15 * 60;

/**
 * Answers the two steps of showing a passkey.
 *
 * @param userId whose; null: whoever has one
 * @param onProof what follows a right one: a redirect
 */
export async function answerPasskey(
  { req, state }: Asking,
  form: URLSearchParams,
  purpose: ChallengePurpose,
  userId: string | null,
  onProof: (user: User) => Promise<Response>,
): Promise<Response> {
  const { services, clientAddress } = state;
  const { kv, config } = services;
  const party = relyingParty(config.baseUrl);
  if (party === null) return noPasskeysAnswer();
  if (form.get("action") === "options") {
    const { bytes, cookie } = await makeChallenge(services, purpose, userId);
    return optionsAnswer(await authenticationOptions(kv, party, bytes, userId), cookie);
  }
  const limit = { kind: "passkey", subject: addressGroup(clientAddress), max: MAX_TRIES };
  const attempt = await countAttempt(kv, [{ ...limit, windowSec: WINDOW_SEC }], Date.now());
  if (!attempt.ok) return problemAnswer(t("Too many attempts. Try again later."), 429);
  const challenge = await takeChallenge(services, req, purpose, userId);
  const response = parse(form.get("response"));
  const user = challenge === null
    ? null
    : await provePasskey(kv, party, { response, challenge, userId });
  if (user === null) {
    return problemAnswer(t("This passkey is not known here, or it took too long. Try again."));
  }
  try {
    return goOn(await onProof(user));
  } catch (error) {
    // Such as that of a disabled account.
    if (error instanceof Denied) return problemAnswer(error.message, error.status);
    throw error;
  }
}

/** What a browser sent as JSON; null for what is none. */
export function parse(text: string | null): unknown {
  try {
    return JSON.parse(text ?? "null");
  } catch {
    return null;
  }
}
