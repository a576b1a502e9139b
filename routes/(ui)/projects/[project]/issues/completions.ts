import { searchValues } from "@/lib/errors/search/completions.ts";
import { requireProject } from "@/lib/accounts/authorize.ts";
import { define } from "@/lib/server/define.ts";

/** As long as a tag's key or value can be. */
const MAX_LENGTH = 200;

/** Values of a search's key that begin as typed: `?key=browser&prefix=Fire`. */
export const handler = define.handlers({
  async GET(ctx) {
    const { project } = await requireProject(ctx, "project:read");
    const key = (ctx.url.searchParams.get("key") ?? "").slice(0, MAX_LENGTH);
    const prefix = (ctx.url.searchParams.get("prefix") ?? "").slice(0, MAX_LENGTH);
    const values = await searchValues(ctx.state.services, project, key, prefix);
    return Response.json(values, { headers: { "cache-control": "private, max-age=30" } });
  },
});
