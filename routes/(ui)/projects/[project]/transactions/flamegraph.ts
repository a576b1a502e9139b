import { t } from "@/lib/core/language/translate.ts";
import { HttpError } from "fresh";
import { loadTransactionCode } from "@/lib/profiles/transaction_code.tsx";
import { graphResponse, jsonResponse } from "@/lib/profiles/responses.ts";
import { parseScope } from "@/lib/ui/scope.ts";
import { readSummaryParams } from "@/lib/traces/transactions/load_summary.ts";
import { requireProject } from "@/lib/accounts/authorize.ts";
import { define } from "@/lib/server/define.ts";

/** The merged profiles of the transactions of one name, for the script of their graph. */
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
    if (code?.kind !== "ready") {
      throw new HttpError(404, t("There are no profiles of these transactions."));
    }
    return graphResponse(code.value.treeOf(null), searchParams, code.value.platform);
  },
});
