import { loadEmbedded } from "@/lib/profiles/profile/load_profile.ts";
import { jsonResponse } from "@/lib/profiles/responses.ts";
import { requireProject } from "@/lib/accounts/authorize.ts";
import { define } from "@/lib/server/define.ts";

/** A part of a profile in little, for the script of the panel of a span. */
export const handler = define.handlers({
  async GET(ctx) {
    const { project } = await requireProject(ctx, "project:read");
    const { services } = ctx.state;
    const profileId = ctx.params.profile ?? "";
    return jsonResponse(
      await loadEmbedded(services, project.id, profileId, ctx.url.searchParams),
    );
  },
});
