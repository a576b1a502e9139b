import type { RouteConfig } from "fresh";
import { Refusal } from "@/lib/core/refusal.ts";
import { takeHook } from "@/lib/errors/links/hooks.ts";
import { recordCommits } from "@/lib/server/pushed_commits.ts";
import { define } from "@/lib/server/define.ts";

export const config: RouteConfig = { routeOverride: "/hooks/:project/:connection{/}?" };

/** What a project's issue trackers tell: nobody is signed in here, the requests are signed. */
export const handler = define.handlers({
  async POST(ctx) {
    const { project: projectId = "", connection: connectionId = "" } = ctx.params;
    const address = { projectId, connectionId };
    try {
      const { services } = ctx.state;
      const { status, detail } = await takeHook(services, address, ctx.req, recordCommits);
      return Response.json({ detail }, { status });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return Response.json({ detail: error.detail }, { status: error.status });
    }
  },
});
