import { requireProject } from "@/lib/accounts/authorize.ts";
import { define } from "@/lib/server/define.ts";
import { cronsPath } from "@/lib/ui/links.ts";

/** The monitors that a project has are its cron jobs. */
export const handler = define.handlers({
  async GET(ctx) {
    const { project } = await requireProject(ctx, "project:read");
    return ctx.redirect(cronsPath(project.id), 303);
  },
});
