import type { RouteConfig } from "fresh";
import { z } from "zod";
import { deleteKey, findKey, type IngestKey, updateKey } from "@/lib/accounts/keys.ts";
import type { Permission } from "@/lib/accounts/members.ts";
import { type ApiContext, ApiError, apiRoute, readJson } from "@/lib/api/route.ts";
import { requireProject } from "@/lib/api/access.ts";
import { keyJson } from "@/lib/projects/json.ts";

export const config: RouteConfig = {
  routeOverride: "/api/0/projects/:organization/:project/keys/:key{/}?",
};

const Changes = z.object({
  name: z.string().optional(),
  isActive: z.boolean().optional(),
  /** Sentry's form: so many requests in so many seconds; null for no limit of its own. */
  rateLimit: z.object({ count: z.number().min(0), window: z.number().min(1) }).nullable()
    .optional(),
});

export const handler = apiRoute({
  async GET(ctx) {
    return keyReply(ctx, await requireKey(ctx, "key:read"));
  },

  async PUT(ctx) {
    const key = await requireKey(ctx, "key:write");
    const { name, isActive, rateLimit } = await readJson(ctx.req, Changes);
    const changes = {
      ...(name === undefined ? {} : { name }),
      ...(isActive === undefined ? {} : { isActive }),
      ...(rateLimit === undefined ? {} : { ratePerSec: ratePerSecOf(rateLimit) }),
    };
    return keyReply(ctx, await updateKey(ctx.state.services.kv, key.publicKey, changes));
  },

  async DELETE(ctx) {
    const { publicKey } = await requireKey(ctx, "key:write");
    await deleteKey(ctx.state.services.kv, publicKey);
    return new Response(null, { status: 204 });
  },
});

function ratePerSecOf(rateLimit: { count: number; window: number } | null): number | null {
  if (rateLimit === null || rateLimit.count === 0) return null;
  return Math.max(1, Math.round(rateLimit.count / rateLimit.window));
}

/** The key in the address, if it is one of the project's. */
async function requireKey(ctx: ApiContext, permission: Permission): Promise<IngestKey> {
  const { project } = await requireProject(ctx, permission);
  const key = await findKey(ctx.state.services.kv, ctx.params.key ?? "");
  if (key?.projectId !== project.id) throw notFound();
  return key;
}

function keyReply({ state }: ApiContext, key: IngestKey | null): Response {
  // Null when somebody deleted it a moment ago.
  if (key === null) throw notFound();
  return Response.json(keyJson(key, state.services.config.baseUrl));
}

function notFound(): ApiError {
  return ApiError.detail(404, "The requested resource does not exist.");
}
