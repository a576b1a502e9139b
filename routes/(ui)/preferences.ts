import { localPath, readForm } from "../../lib/ui/form.ts";
import { RAIL_COOKIE, THEME_COOKIE } from "../../lib/ui/cookies.ts";
import { define } from "../../lib/server/define.ts";

const YEAR_SECONDS = 365 * 24 * 60 * 60;

/** Form fields that become cookies, and the values each may have. */
const PREFERENCES = [
  { field: "theme", cookie: THEME_COOKIE, values: ["system", "light", "dark"] },
  { field: "rail", cookie: RAIL_COOKIE, values: ["wide", "narrow"] },
] as const;

/** How somebody likes the frame: kept in cookies, so that it holds before the sign-in as well. */
export const handler = define.handlers({
  GET: (ctx) => ctx.redirect("/", 303),

  async POST(ctx) {
    const form = await readForm(ctx.req);
    const headers = new Headers({ location: localPath(form.get("next"), "/") });
    for (const { field, cookie, values } of PREFERENCES) {
      const value = values.find((each) => each === form.get(field));
      if (value === undefined) continue;
      headers.append(
        "set-cookie",
        `${cookie}=${value}; Path=/; Max-Age=${YEAR_SECONDS}; SameSite=Lax`,
      );
    }
    return new Response(null, { status: 303, headers });
  },
});
