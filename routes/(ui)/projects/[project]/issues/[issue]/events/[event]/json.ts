import { requireEvent } from "@/lib/errors/load_issue_page.ts";
import { requireProject } from "@/lib/accounts/authorize.ts";
import { define } from "@/lib/server/define.ts";

/**
 * The stored event as it is. What strangers sent must not run in our origin, whatever a browser takes it
 * for: it is no script, no page, and has no rights.
 */
export const handler = define.handlers({
  async GET(ctx) {
    const { project } = await requireProject(ctx, "project:read");
    const { issue = "", event: which = "" } = ctx.params;
    const event = await requireEvent(ctx.state.services.sql, project.id, issue, which);
    return new Response(event.payload, {
      headers: {
        "content-type": "application/json; charset=utf-8",
        "content-disposition": `inline; filename="event-${event.eventId}.json"`,
        "content-security-policy": "default-src 'none'; sandbox",
        "x-content-type-options": "nosniff",
        "cache-control": "private, no-store",
      },
    });
  },
});
