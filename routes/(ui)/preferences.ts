import { localPath, readForm } from "../../lib/ui/form.ts";
import { setReader } from "../../lib/accounts/language.ts";
import { LANGUAGES } from "../../lib/core/language/translate.ts";
import {
  LANGUAGE_COOKIE,
  lastingCookie,
  RAIL_COOKIE,
  THEME_COOKIE,
  TIMES_COOKIE,
} from "../../lib/ui/cookies.ts";
import { define } from "../../lib/server/define.ts";

const LANGUAGE_NAMES = Object.keys(LANGUAGES);

/** Form fields that become cookies, and the values each may have. */
const PREFERENCES = [
  { field: "theme", cookie: THEME_COOKIE, values: ["system", "light", "dark"] },
  { field: "rail", cookie: RAIL_COOKIE, values: ["wide", "narrow"] },
  { field: "language", cookie: LANGUAGE_COOKIE, values: LANGUAGE_NAMES },
  { field: "times", cookie: TIMES_COOKIE, values: ["zone", "utc"] },
] as const;

/** How somebody likes the frame: kept in cookies, so that it holds before the sign-in as well. */
export const handler = define.handlers({
  GET: (ctx) => ctx.redirect("/", 303),

  async POST(ctx) {
    const form = await readForm(ctx.req);
    const { actor, services: { kv } } = ctx.state;
    const headers = new Headers({ location: localPath(form.get("next"), pageBefore(ctx.req)) });
    const language = LANGUAGE_NAMES.find((each) => each === form.get("language"));
    // An account's own language goes before the cookie.
    if (language !== undefined && actor.kind === "user") {
      await setReader(kv, actor.user.id, { language });
    }
    for (const { field, cookie, values } of PREFERENCES) {
      const value = values.find((each) => each === form.get(field));
      if (value === undefined) continue;
      headers.append("set-cookie", lastingCookie(cookie, value));
    }
    return new Response(null, { status: 303, headers });
  },
});

/** The path of the page that a form stood on, as the browser tells it. */
function pageBefore(request: Request): string {
  const page = request.headers.get("referer") ?? "";
  if (!URL.canParse(page)) return "/";
  const { pathname, search } = new URL(page);
  return localPath(pathname + search, "/");
}
