import type { ProjectAccess } from "../../accounts/authorize.ts";
import { listProfiles, PROFILE_ORDERS, readProfileCursor } from "../queries/list.ts";
import type { ApiContext } from "../../api/api.ts";
import { ApiError } from "../../api/api_error.ts";
import { readLimit } from "../../api/issue_query.ts";
import { listReply } from "../../api/api_page.ts";
import { profileJson } from "./profile_json.ts";
import { readProfileQuery, readWord } from "./read_query.ts";

/** The profiles of a project, newest first, or by `sort`: `longest`, `largest`. */
export async function profileListReply(ctx: ApiContext, access: ProjectAccess): Promise<Response> {
  const { searchParams: search } = ctx.url;
  const sort = readWord(search, "sort", PROFILE_ORDERS);
  const cursor = search.get("cursor") || null;
  // Else a script that goes on with a damaged cursor would read the first page for ever.
  if (cursor !== null && readProfileCursor(cursor, sort) === null) {
    throw ApiError.detail(400, "Invalid cursor: take it from a Link header");
  }
  const limit = readLimit(search.get("limit") ?? search.get("per_page"));
  const query = readProfileQuery(ctx, access);
  const page = await listProfiles(ctx.state.services.sql, query, { cursor, limit, sort });
  return listReply(ctx, page.rows.map(profileJson), page);
}
