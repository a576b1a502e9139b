/**
 * The cookies of the frame: how somebody likes it, and what they just did. None is secret; the server and the browser
 * read them.
 */

/** `light` or `dark`; without one the viewer's device decides. */
export const THEME_COOKIE = "theme";
/** `narrow` when the rail shows icons only. */
export const RAIL_COOKIE = "rail";
/** A language, before the sign-in; an account's own goes first. */
export const LANGUAGE_COOKIE = "language";
/** `utc` when times are shown in UTC instead of the account's time zone. */
export const TIMES_COOKIE = "times";
/** Ids of the projects looked at last, newest first, with dots between. */
export const RECENT_COOKIE = "recent";
export const MAX_RECENT = 5;
/**
 * What the person just did, said once on the page they are sent to. It is short-lived, and only that page sees it; the
 * page's script removes it, and without script it ends by itself.
 */
export const FLASH_COOKIE = "flash";

const YEAR_SECONDS = 365 * 24 * 60 * 60;

/** The `Set-Cookie` value of how somebody likes the frame. */
export function lastingCookie(name: string, value: string): string {
  return `${name}=${value}; Path=/; Max-Age=${YEAR_SECONDS}; SameSite=Lax`;
}

/** One cookie of `request`, or null. */
export function readCookie(request: Request, name: string): string | null {
  for (const part of (request.headers.get("cookie") ?? "").split(";")) {
    const [key, value] = part.trim().split("=", 2);
    if (key === name && value) return value;
  }
  return null;
}

export type FlashKind = "ok" | "warning" | "danger";

export interface Flash {
  readonly kind: FlashKind;
  readonly text: string;
  /** How to take it back: a form of one button. */
  readonly undo?: FlashUndo;
}

export interface FlashUndo {
  /** Path that the form is sent to. */
  readonly action: string;
  /** What is taken back: decimal. */
  readonly id: string;
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
 * @param undo how to take back what was done
 */
export function redirectWithFlash(
  location: string,
  text: string,
  kind: FlashKind = "ok",
  undo: FlashUndo | null = null,
): Response {
  const { pathname, search, hash } = new URL(location, "http://localhost");
  const value = encodeURIComponent(
    `${kind}${undo === null ? "" : ` ${undo.id} ${undo.action}`}:${
      text.slice(0, MAX_TEXT_LENGTH).toWellFormed()
    }`,
  );
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
  const match = /^([a-z]+)(?: (\d{1,18}) (\/[\w/-]{1,200}))?:(.+)$/s.exec(decode(value));
  const [, kind = "", id, action, text = ""] = match ?? [];
  if (!isKind(kind)) return null;
  const isOwnPath = action !== undefined && !action.startsWith("//");
  return id === undefined || !isOwnPath ? { kind, text } : { kind, text, undo: { id, action } };
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
