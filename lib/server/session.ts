import { t } from "../core/language/translate.ts";
import { type Context, HttpError } from "fresh";
import { KNOWN_DEVICE_MS } from "../accounts/known_devices.ts";
import { PENDING_MS } from "../accounts/pending_sign_in.ts";
import { readSession, SESSION_LIFETIME_MS } from "../accounts/sessions.ts";
import { identified } from "../accounts/authorize.ts";
import type { Config } from "../core/config.ts";
import { readCookie, THEME_COOKIE } from "../ui/cookies.ts";
import type { Theme } from "../ui/shell.ts";
import { define, type State } from "./define.ts";
import { isStillNamed } from "./providers/auth_header.ts";
import { readAs } from "./reader.ts";

/** Finds out who is looking at a page, in which theme, language and time zone. */
export const session = define.middleware(async (ctx) => {
  await recognize(ctx);
  return ctx.next();
});

/** The same for what answers where no route does. */
export async function recognize(ctx: Context<State>): Promise<void> {
  const { state, req } = ctx;
  state.theme = themeOf(readCookie(req, THEME_COOKIE));
  const token = readSessionToken(req, state.services.config);
  const live = token === null ? null : await readSession(state.services.kv, token);
  const isOver = live?.session.method === "header" &&
    !await isStillNamed(ctx, state.services, live.user);
  if (live !== null && !isOver) {
    state.actor = identified({
      kind: "user",
      user: live.user,
      isStrong: live.session.isStrong ?? false,
      ...live.session.provider === undefined ? {} : { provider: live.session.provider },
    });
    state.sessionToken = token;
    readAs(live.user, req);
    state.session = live.session;
  }
}

function themeOf(cookie: string | null): Theme {
  return cookie === "light" || cookie === "dark" ? cookie : "system";
}

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

/** What waits for its second factor in this browser, or null. */
export function readPendingToken(request: Request, config: Config): string | null {
  return readCookie(request, pendingCookieName(config));
}

/** The `Set-Cookie` value that lets this browser alone show the second factor. */
export function pendingCookie(token: string, config: Config): string {
  const seconds = PENDING_MS / 1000;
  return `${pendingCookieName(config)}=${token}; Max-Age=${seconds}; ${attributes(config)}`;
}

/** The `Set-Cookie` value that takes it away. */
export function clearedPendingCookie(config: Config): string {
  return `${pendingCookieName(config)}=; Max-Age=0; ${attributes(config)}`;
}

function pendingCookieName(config: Config): string {
  return `${cookieName(config)}_pending`;
}

/** A cookie of ours beside that of the session. */
export interface OwnCookie {
  readonly name: string;
  /** The `Set-Cookie` value that hands it to the browser. */
  readonly set: string;
  /** The one that takes it away. */
  readonly cleared: string;
}

/**
 * A cookie that no script and no other site can read or plant.
 *
 * @param name its name without ours before it
 * @param value without characters that cookies lack
 */
export function ownCookie(
  name: string,
  value: string,
  maxAgeSec: number,
  config: Config,
): OwnCookie {
  const whole = `${cookieName(config)}_${name}`;
  return {
    name: whole,
    set: `${whole}=${value}; Max-Age=${maxAgeSec}; ${attributes(config)}`,
    cleared: `${whole}=; Max-Age=0; ${attributes(config)}`,
  };
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

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Refuses forms that another site sends with our visitor's cookie. Browsers say where a request comes
 * from (`Sec-Fetch-Site`, and `Origin` on every POST), so no token is needed in the forms; unlike
 * Fresh's `csrf()`, a request that says nothing is refused as well.
 */
export const csrf = define.middleware((ctx) => {
  if (!SAFE_METHODS.has(ctx.req.method) && !isSameOrigin(ctx.req)) {
    throw new HttpError(
      403,
      t("This form was sent from another site. Open the page here and try again."),
    );
  }
  return ctx.next();
});

/** Whether the browser says that `request` comes from a page of this very host. */
export function isSameOrigin(request: Request): boolean {
  const site = request.headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin";
  const origin = request.headers.get("origin");
  if (origin === null || !URL.canParse(origin)) return false;
  // The scheme is not compared: behind a proxy that ends TLS we see http where the browser says https.
  // HTTP/2 names the host in the address alone.
  const host = request.headers.get("host") ?? new URL(request.url).host;
  return new URL(origin).host === host;
}
