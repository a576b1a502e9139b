import { readSession } from "../accounts/sessions.ts";
import { define, type Theme } from "./define.ts";
import { readCookie, readSessionToken } from "./session_cookie.ts";

export const THEME_COOKIE = "theme";

/** Finds out who is looking at a page, and in which theme. */
export const session = define.middleware(async (ctx) => {
  const { state, req } = ctx;
  state.theme = themeOf(readCookie(req, THEME_COOKIE));
  const token = readSessionToken(req, state.services.config);
  const live = token === null ? null : await readSession(state.services.kv, token);
  if (live !== null) {
    state.actor = { kind: "user", user: live.user };
    state.sessionToken = token;
  }
  return ctx.next();
});

function themeOf(cookie: string | null): Theme {
  return cookie === "light" || cookie === "dark" ? cookie : "system";
}
