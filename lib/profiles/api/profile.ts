import type { ProjectAccess } from "../../accounts/authorize.ts";
import { typeId } from "../../formats/pprof/sample_types.ts";
import { readPprofBytes } from "../queries/bytes.ts";
import { findProfile } from "../queries/find.ts";
import type { ProfileRow } from "../queries/profile_types.ts";
import type { ApiContext } from "../../api/api.ts";
import { ApiError } from "../../api/api_error.ts";
import { download } from "./download.ts";
import { profileJson } from "./profile_json.ts";
import { readProfileId } from "./read_query.ts";

/** What the index tells of one profile. */
export async function profileReply(ctx: ApiContext, access: ProjectAccess): Promise<Response> {
  return Response.json(profileJson(await requireProfile(ctx, access)));
}

/** One profile as it is stored: pprof, compressed by gzip as pprof files are. */
export async function pprofReply(ctx: ApiContext, access: ProjectAccess): Promise<Response> {
  const row = await requireProfile(ctx, access);
  const bytes = await readPprofBytes(ctx.state.services.objects, row);
  if (bytes === null) throw ApiError.detail(404, "The bytes of this profile are gone");
  const { service, kind, timestamp, totals } = row;
  const type = totals.at(-1);
  return download(bytes, "application/octet-stream", {
    service,
    type: type === undefined ? kind : typeId(type),
    time: timestamp,
    ending: "pb.gz",
  });
}

/** Also for profiles that exist where the actor may not look. @throws {ApiError} 404 */
async function requireProfile(ctx: ApiContext, { project }: ProjectAccess): Promise<ProfileRow> {
  const id = readProfileId(ctx.params.profile ?? "");
  const row = id === null ? null : await findProfile(ctx.state.services.sql, project.id, id);
  if (row === null) throw ApiError.detail(404, "Profile not found");
  return row;
}
