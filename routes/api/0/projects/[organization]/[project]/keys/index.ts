import type { RouteConfig } from "fresh";
import { z } from "zod";
import { createKey, KEY_TYPES, listKeys } from "@/lib/accounts/keys.ts";
import { apiRoute, listReply, readJson } from "@/lib/api/route.ts";
import { requireProject } from "@/lib/api/access.ts";
import { keyJson } from "@/lib/projects/json.ts";

export const config: RouteConfig = {
  routeOverride: "/api/0/projects/:organization/:project/keys{/}?",
};

const DEFAULT_NAME = "Default";

const NewKey = z.object({
  name: z.string().nullish(),
  /** Older clients of Sentry call the name so. */
  label: z.string().nullish(),
  type: z.enum(KEY_TYPES).default("server"),
});

export const handler = apiRoute({
  async GET(ctx) {
    const { project } = await requireProject(ctx, "key:read");
    const { kv, config: { baseUrl } } = ctx.state.services;
    const keys = await listKeys(kv, project.id);
    return listReply(ctx, keys.filter(isWanted(ctx.url)).map((key) => keyJson(key, baseUrl)));
  },

  async POST(ctx) {
    const { project } = await requireProject(ctx, "key:write");
    const { kv, config: { baseUrl } } = ctx.state.services;
    const { name, label, type } = await readJson(ctx.req, NewKey);
    const key = await createKey(kv, {
      projectId: project.id,
      name: name ?? label ?? DEFAULT_NAME,
      type,
    });
    return Response.json(keyJson(key, baseUrl), { status: 201 });
  },
});

/** `?status=active` and `?status=inactive`, as Sentry's clients ask. */
function isWanted({ searchParams }: URL): (key: { isActive: boolean }) => boolean {
  const status = searchParams.get("status");
  if (status === "active") return ({ isActive }) => isActive;
  if (status === "inactive") return ({ isActive }) => !isActive;
  return () => true;
}
