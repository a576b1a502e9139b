import { t } from "@/lib/core/language/translate.ts";
import { HttpError } from "fresh";
import { graphResponse } from "@/lib/profiles/responses.ts";
import { loadProfile } from "@/lib/profiles/profile/load_profile.ts";
import { sideIn } from "@/lib/profiles/params.ts";
import { requireProject } from "@/lib/accounts/authorize.ts";
import { define } from "@/lib/server/define.ts";

/** The graph of a profile for its script, as the page with the same query shows it; of `path` what is below it. */
export const handler = define.handlers({
  async GET(ctx) {
    const { project } = await requireProject(ctx, "project:read");
    const { searchParams } = ctx.url;
    const { row, graph } = await loadProfile(
      ctx.state.services,
      project.id,
      ctx.params.profile ?? "",
      searchParams,
    );
    if (graph === null) throw new HttpError(404, t("The samples of this profile cannot be read."));
    return graphResponse(graph.treeOf(sideIn(searchParams)), searchParams, row.platform);
  },
});
