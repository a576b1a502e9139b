/** Challenges of passkeys: sealed into a cookie of the browser that is to answer, so that who only asks costs no write. */
import { keyOf } from "../../accounts/kv.ts";
import { openSealer, SealBroken, sha256 } from "../../accounts/secrets.ts";
import { MINUTE_MS, SECOND_MS } from "../../core/time.ts";
import { readCookie } from "../../ui/cookies.ts";
import type { State } from "../define.ts";
import { ownCookie } from "../session.ts";

/** What a passkey is shown, or made, for. */
export type ChallengePurpose = "add" | "sign-in" | "second-factor" | "confirm";

const CHALLENGE_MS = 5 * MINUTE_MS;
const NAME = "challenge";

interface Sealed {
  readonly challenge: string;
  readonly expiresAtMs: number;
}

type Services = Pick<State["services"], "kv" | "config">;

/**
 * Makes a challenge.
 *
 * @param userId who has to answer; null: whoever can
 * @returns its bytes, and the `Set-Cookie` value that goes with them
 */
export async function makeChallenge(
  { kv, config }: Services,
  purpose: ChallengePurpose,
  userId: string | null,
  now: number = Date.now(),
): Promise<{ bytes: Uint8Array<ArrayBuffer>; cookie: string }> {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  const challenge = bytes.toBase64({ alphabet: "base64url", omitPadding: true });
  const sealed: Sealed = { challenge, expiresAtMs: now + CHALLENGE_MS };
  const sealer = await openSealer(kv, config);
  const text = (await sealer.seal(JSON.stringify(sealed), placeOf(purpose, userId)))
    .toBase64({ alphabet: "base64url", omitPadding: true });
  return { bytes, cookie: ownCookie(NAME, text, CHALLENGE_MS / SECOND_MS, config).set };
}

/**
 * The challenge that this browser was given for a purpose; it holds once, and five minutes.
 *
 * @returns base64url, or null when there is none that holds
 */
export async function takeChallenge(
  { kv, config }: Services,
  request: Request,
  purpose: ChallengePurpose,
  userId: string | null,
  now: number = Date.now(),
): Promise<string | null> {
  const cookie = readCookie(request, ownCookie(NAME, "", 0, config).name);
  const sealed = cookie === null ? null : await open({ kv, config }, cookie, purpose, userId);
  if (sealed === null || sealed.expiresAtMs <= now) return null;
  const key = keyOf.spentChallenge(sha256(sealed.challenge));
  const spent = await kv.atomic().check({ key, versionstamp: null })
    .set(key, true, { expireIn: CHALLENGE_MS }).commit();
  return spent.ok ? sealed.challenge : null;
}

async function open(
  { kv, config }: Services,
  cookie: string,
  purpose: ChallengePurpose,
  userId: string | null,
): Promise<Sealed | null> {
  const sealer = await openSealer(kv, config);
  try {
    const bytes = Uint8Array.fromBase64(cookie, { alphabet: "base64url" });
    return JSON.parse(await sealer.open(bytes, placeOf(purpose, userId)));
  } catch (error) {
    if (error instanceof SealBroken || error instanceof SyntaxError) return null;
    throw error;
  }
}

function placeOf(purpose: ChallengePurpose, userId: string | null): string {
  return `passkey ${purpose} ${userId ?? ""}`;
}
