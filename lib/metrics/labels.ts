import type { ProjectAccess } from "../accounts/authorize.ts";
import { labelKeys, labelValues } from "./catalog.ts";
import type { ApiContext } from "../api/api.ts";
import { readText, requireText } from "./read_request.ts";

/** The names of the labels of `metric`, in order. */
export async function labelListReply(
  ctx: ApiContext,
  { project }: ProjectAccess,
): Promise<Response> {
  const metric = requireText(ctx.url.searchParams, "metric");
  return Response.json(await labelKeys(ctx.state.services.sql, project.id, metric));
}

/** Up to 50 values of a label of `metric` that begin with `prefix`, those of the most series first. */
export async function labelValueListReply(
  ctx: ApiContext,
  { project }: ProjectAccess,
): Promise<Response> {
  const { searchParams } = ctx.url;
  const metric = requireText(searchParams, "metric");
  const key = labelOf(ctx.params.key ?? "");
  const prefix = readText(searchParams, "prefix");
  return Response.json(
    await labelValues(ctx.state.services.sql, project.id, metric, key, prefix),
  );
}

/** Labels may have any characters, so addresses have them percent-encoded. */
function labelOf(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
