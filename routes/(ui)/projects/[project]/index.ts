import { sectionPath } from "@/lib/ui/links.ts";
import { requireProject } from "@/lib/accounts/authorize.ts";
import { define } from "@/lib/server/define.ts";

/** A project opens with its issues. */
export const handler = define.handlers({
  async GET(ctx) {
    const { project } = await requireProject(ctx, "project:read");
    return ctx.redirect(sectionPath(project.id, "issues"), 303);
  },
});
