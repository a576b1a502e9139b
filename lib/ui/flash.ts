/**
 * What the person just did, said once on the page they are sent to. It travels in a short-lived cookie
 * that only that page sees; the page's script removes it, and without script it ends by itself.
 */
import { readCookie } from "../server/session.ts";
import { FLASH_COOKIE } from "./shell_cookies.ts";

export type FlashKind = "ok" | "warning" | "danger";

export interface Flash {
  readonly kind: FlashKind;
  readonly text: string;
}

/** Long enough for a redirect on a slow line, short enough not to show twice. */
const MAX_AGE_SECONDS = 10;
/** Cookies end at 4 KiB, and escapes triple a character. */
const MAX_TEXT_LENGTH = 300;
const KINDS: readonly string[] = ["ok", "warning", "danger"] satisfies FlashKind[];

/**
 * A 303 to `location` that shows `text` there.
 *
 * @param location path within this service, with or without a query
 */
export function redirectWithFlash(
  location: string,
  text: string,
  kind: FlashKind = "ok",
): Response {
  const { pathname, search, hash } = new URL(location, "http://localhost");
  const value = encodeURIComponent(`${kind}:${text.slice(0, MAX_TEXT_LENGTH).toWellFormed()}`);
  const cookie =
    `${FLASH_COOKIE}=${value}; Path=${pathname}; Max-Age=${MAX_AGE_SECONDS}; SameSite=Lax`;
  return new Response(null, {
    status: 303,
    headers: { location: pathname + search + hash, "set-cookie": cookie },
  });
}

/** The message waiting for this page, or null. */
export function readFlash(request: Request): Flash | null {
  const value = readCookie(request, FLASH_COOKIE);
  if (value === null) return null;
  const match = /^([a-z]+):(.+)$/s.exec(decode(value));
  const [, kind = "", text = ""] = match ?? [];
  return isKind(kind) ? { kind, text } : null;
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return "";
  }
}

function isKind(text: string): text is FlashKind {
  return KINDS.includes(text);
}
