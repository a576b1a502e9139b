import { t } from "@/lib/core/language/translate.ts";
import { HttpError } from "fresh";
import { flameChart } from "@/lib/profiles/trees/time_order.ts";
import { jsonResponse } from "@/lib/profiles/responses.ts";
import { loadProfile, orderOfPart } from "@/lib/profiles/profile/load_profile.ts";
import { requireProject } from "@/lib/accounts/authorize.ts";
import { define } from "@/lib/server/define.ts";

/** What the thread `lane` of a profile did in order of time, for the script of its graph. */
export const handler = define.handlers({
  async GET(ctx) {
    const { project } = await requireProject(ctx, "project:read");
    const { searchParams } = ctx.url;
    const { row, read, graph } = await loadProfile(
      ctx.state.services,
      project.id,
      ctx.params.profile ?? "",
      searchParams,
    );
    if (graph === null) throw new HttpError(404, t("The samples of this profile cannot be read."));
    const order = orderOfPart(read, graph.type);
    return jsonResponse(flameChart(order, searchParams.get("lane") ?? "", {}, row.platform));
  },
});
