import { z } from "zod";
import { createProject } from "../accounts/projects.ts";
import type { ApiContext } from "../api/api.ts";
import { requireOrganization } from "../api/access.ts";
import { readJson } from "../api/api_input.ts";
import { projectDetailJson } from "./api_project.ts";

const NewProject = z.object({
  name: z.string(),
  slug: z.string().nullish(),
  platform: z.string().nullish(),
});

/** Makes a project in the organization of the address: 201, and 409 when its slug is taken. */
export async function createProjectReply(ctx: ApiContext): Promise<Response> {
  const { kv, config } = ctx.state.services;
  const { organization, role } = await requireOrganization(ctx, "project:create");
  const { name, slug, platform } = await readJson(ctx.req, NewProject);
  const project = await createProject(kv, {
    organizationId: organization.id,
    name,
    platform: platform ?? "",
    ...(slug ? { slug } : {}),
  });
  const body = projectDetailJson(project, organization, role, config.baseUrl);
  return Response.json(body, { status: 201 });
}
