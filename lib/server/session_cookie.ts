import type { Config } from "../core/config.ts";
import { SESSION_LIFETIME_MS } from "../accounts/sessions.ts";
import { KNOWN_DEVICE_MS } from "../accounts/sign_in.ts";

/** The server ends sessions by itself; a cookie that outlives its session would be of no use. */
const MAX_AGE_SECONDS = SESSION_LIFETIME_MS / 1000;

/** The session token in `request`'s cookies, or null. Not yet checked for being a live session. */
export function readSessionToken(request: Request, config: Config): string | null {
  return readCookie(request, cookieName(config));
}

/** The `Set-Cookie` value that hands `token` to the browser. */
export function sessionCookie(token: string, config: Config): string {
  return `${cookieName(config)}=${token}; Max-Age=${MAX_AGE_SECONDS}; ${attributes(config)}`;
}

/** The `Set-Cookie` value that takes the session cookie away. */
export function clearedSessionCookie(config: Config): string {
  return `${cookieName(config)}=; Max-Age=0; ${attributes(config)}`;
}

/** What makes this browser known to the sign-in, or null. */
export function readDeviceToken(request: Request, config: Config): string | null {
  return readCookie(request, deviceCookieName(config));
}

/** The `Set-Cookie` value that makes a browser known to the sign-in. */
export function deviceCookie(token: string, config: Config): string {
  const seconds = KNOWN_DEVICE_MS / 1000;
  return `${deviceCookieName(config)}=${token}; Max-Age=${seconds}; ${attributes(config)}`;
}

/** One cookie of `request`, or null. */
export function readCookie(request: Request, name: string): string | null {
  for (const part of (request.headers.get("cookie") ?? "").split(";")) {
    const [key, value] = part.trim().split("=", 2);
    if (key === name && value) return value;
  }
  return null;
}

function isHttps(config: Config): boolean {
  return config.baseUrl.startsWith("https:");
}

/** The `__Host-` prefix lets browsers refuse a cookie that a sister domain planted; it needs https. */
function cookieName(config: Config): string {
  return isHttps(config) ? "__Host-watchpost" : "watchpost";
}

function deviceCookieName(config: Config): string {
  return `${cookieName(config)}_device`;
}

function attributes(config: Config): string {
  return `Path=/; HttpOnly; SameSite=Lax${isHttps(config) ? "; Secure" : ""}`;
}
