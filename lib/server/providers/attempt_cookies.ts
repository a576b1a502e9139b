/** The cookies of somebody who is away at a provider, or has come back as nobody's account. */
import {
  type Attempt,
  ATTEMPT_MS,
  attemptName,
  openFromBrowser,
  sealForBrowser,
  type Stranger,
} from "../../accounts/providers/attempts.ts";
import type { Config } from "../../core/config.ts";
import { readCookie } from "../../ui/cookies.ts";
import type { Services } from "../services.ts";

/** A header with more cookies is refused by many proxies. */
const MAX_ATTEMPTS = 5;

/** The `Set-Cookie` values that keep an attempt, and let go of older ones where there are too many. */
export async function attemptCookies(
  request: Request,
  { kv, config }: Services,
  attempt: Attempt,
): Promise<string[]> {
  const kept = attemptCookieNames(request, config);
  const sealed = await sealForBrowser({ kv, config }, "attempt", attempt);
  return [
    ...kept.slice(0, Math.max(0, kept.length - MAX_ATTEMPTS + 1)).map((name) => gone(name, config)),
    cookie(`${prefix(config)}${attemptName(attempt.handshake.state)}`, sealed, config),
  ];
}

/**
 * The attempt that an answer of a provider belongs to, or null: it was started in another browser, or is too old.
 *
 * @param state as the browser came back with
 * @param now milliseconds since 1970
 */
export async function readAttempt(
  request: Request,
  { kv, config }: Services,
  state: string,
  now: number = Date.now(),
): Promise<Attempt | null> {
  const text = readCookie(request, `${prefix(config)}${attemptName(state)}`);
  if (text === null) return null;
  const attempt = await openFromBrowser<Attempt>({ kv, config }, "attempt", text);
  if (attempt === null || attempt.handshake.state !== state) return null;
  return now - attempt.handshake.startedAt > ATTEMPT_MS ? null : attempt;
}

/** The `Set-Cookie` value that lets go of an attempt. */
export function spentAttemptCookie(state: string, config: Config): string {
  return gone(`${prefix(config)}${attemptName(state)}`, config);
}

/** The `Set-Cookie` value that keeps who came back until they have signed in to their account. */
export async function strangerCookie({ kv, config }: Services, stranger: Stranger) {
  return cookie(
    `${prefix(config)}stranger`,
    await sealForBrowser({ kv, config }, "stranger", stranger),
    config,
  );
}

/** Who came back in this browser and is nobody's account yet, or null. */
export async function readStranger(
  request: Request,
  { kv, config }: Services,
  now: number = Date.now(),
): Promise<Stranger | null> {
  const text = readCookie(request, `${prefix(config)}stranger`);
  const stranger = text === null
    ? null
    : await openFromBrowser<Stranger>({ kv, config }, "stranger", text);
  return stranger === null || now - stranger.startedAt > ATTEMPT_MS ? null : stranger;
}

/** The `Set-Cookie` value that lets go of them. */
export function goneStrangerCookie(config: Config): string {
  return gone(`${prefix(config)}stranger`, config);
}

function attemptCookieNames(request: Request, config: Config): string[] {
  const names = (request.headers.get("cookie") ?? "").split(";")
    .map((part) => part.trim().split("=", 1)[0] ?? "");
  return names.filter((name) =>
    name.startsWith(prefix(config)) && name !== `${prefix(config)}stranger`
  );
}

/** `__Host-`: no sister domain can plant an attempt of its own, which would sign somebody in as somebody else. */
function prefix({ baseUrl }: Config): string {
  return baseUrl.startsWith("https:") ? "__Host-watchpost_with_" : "watchpost_with_";
}

function cookie(name: string, value: string, config: Config): string {
  return `${name}=${value}; Max-Age=${ATTEMPT_MS / 1000}; ${attributes(config)}`;
}

function gone(name: string, config: Config): string {
  return `${name}=; Max-Age=0; ${attributes(config)}`;
}

function attributes({ baseUrl }: Config): string {
  return `Path=/; HttpOnly; SameSite=Lax${baseUrl.startsWith("https:") ? "; Secure" : ""}`;
}
