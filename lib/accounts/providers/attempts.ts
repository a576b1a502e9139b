/**
 * What a browser keeps while somebody is away at a provider, and until they have connected who came back: sealed, each for
 * one attempt, and spent once.
 */
import type { Config } from "../../core/config.ts";
import { MINUTE_MS } from "../../core/time.ts";
import { keyOf } from "../kv.ts";
import { openValue, sealValue, sha256 } from "../secrets.ts";
import type { Profile } from "./profile.ts";
import type { Handshake } from "./protocol.ts";

export const ATTEMPT_MS = 10 * MINUTE_MS;

/** Why somebody goes to a provider. */
export type Purpose =
  /** To sign in. */
  | { readonly kind: "sign-in" }
  /** To connect what comes back to the account they are signed in with. */
  | { readonly kind: "connect"; readonly userId: string }
  /** To prove once more that they are who is signed in. */
  | { readonly kind: "again"; readonly userId: string }
  /** To see what the provider tells. */
  | { readonly kind: "test"; readonly userId: string };

export interface Attempt {
  readonly providerId: string;
  readonly handshake: Handshake;
  readonly purpose: Purpose;
  /** A path within this service. */
  readonly next: string;
}

/** Who came back and has no account yet. */
export interface Stranger {
  readonly providerId: string;
  readonly profile: Pick<Profile, "issuer" | "subject" | "email" | "name">;
  readonly why: string;
  /** Makes it spent once. */
  readonly id: string;
  readonly startedAt: number;
  readonly next: string;
}

interface Stores {
  readonly kv: Deno.Kv;
  readonly config: Pick<Config, "secretKey">;
}

/** Seals a value for a cookie. @param kind what it is; it opens as the same only */
export async function sealForBrowser(stores: Stores, kind: string, value: unknown) {
  const sealed = await sealValue(stores, `browser ${kind}`, value);
  return new Uint8Array(sealed).toBase64({ alphabet: "base64url", omitPadding: true });
}

/** Opens it; null for what was sealed as something else, altered, or is none. @param text what a browser sent */
export async function openFromBrowser<Value>(
  stores: Stores,
  kind: string,
  text: string,
): Promise<Value | null> {
  try {
    const sealed = Uint8Array.fromBase64(text, { alphabet: "base64url" });
    return await openValue<Value>(stores, `browser ${kind}`, sealed);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** The name of an attempt's cookie: two tabs have one each. */
export function attemptName(state: string): string {
  return sha256(state).slice(0, 16);
}

/**
 * Uses up what holds once.
 *
 * @param kind keeps ids of different things apart
 * @param lifetimeMs how long it has to be remembered: it is no use after that anyway
 * @returns false when it was used before
 */
export async function spendOnce(
  kv: Deno.Kv,
  kind: string,
  id: string,
  lifetimeMs: number,
): Promise<boolean> {
  const key = keyOf.usedOnce(kind, sha256(id));
  const commit = await kv.atomic().check({ key, versionstamp: null })
    .set(key, true, { expireIn: lifetimeMs }).commit();
  return commit.ok;
}
