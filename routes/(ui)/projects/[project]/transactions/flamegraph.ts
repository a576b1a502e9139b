import { loadTransactionCode } from "@/lib/profiles/transaction_code.tsx";
import { graphResponse, jsonResponse } from "@/lib/profiles/responses.ts";
import { parseScope } from "@/lib/ui/scope.ts";
import { readSummaryParams } from "@/lib/traces/transactions/load_summary.ts";
import { requireProject } from "@/lib/accounts/authorize.ts";
import { define } from "@/lib/server/define.ts";
import { NOTHING_DRAWN } from "@/lib/ui/flamegraph/flame_tree.ts";

/** The merged profiles of the transactions of one name, for the script of their graph; an empty graph where there are none. */
export const handler = define.handlers({
  async GET(ctx) {
    const { project } = await requireProject(ctx, "project:read");
    const { searchParams } = ctx.url;
    const params = readSummaryParams(searchParams);
    if (params === null) return jsonResponse({ detail: "name: of which transactions?" }, 400);
    const code = await loadTransactionCode(
      ctx.state.services,
      project.id,
      parseScope(searchParams),
      params.name,
      Infinity,
    );
    if (code?.kind === "failed") throw code.error;
    if (code?.kind !== "ready") return jsonResponse(NOTHING_DRAWN);
    return graphResponse(code.value.treeOf(null), searchParams, code.value.platform);
  },
});
