import { page } from "fresh";
import { planArrival } from "@/lib/accounts/providers/arrival.ts";
import { findProvider, type Provider } from "@/lib/accounts/providers/provider.ts";
import type { Answered } from "@/lib/accounts/providers/protocol.ts";
import { t } from "@/lib/core/language/translate.ts";
import { define, type State } from "@/lib/server/define.ts";
import { comeBack, type FlowProblem } from "@/lib/server/providers/flow.ts";
import { ProblemPage } from "@/lib/server/providers/flow_pages.tsx";
import { TestResultPage, type TestResultView } from "@/lib/server/providers/test_result_page.tsx";
import { loadShell } from "@/lib/server/shell.tsx";
import type { Asking } from "@/lib/server/form_handlers.ts";

type Data =
  | {
    readonly kind: "problem";
    readonly problem: FlowProblem;
    readonly next: string;
    readonly isAdmin: boolean;
  }
  | ({ readonly kind: "test" } & TestResultView);

/** Where providers send people back to. */
export default define.page<typeof handler>(({ data }) =>
  data.kind === "problem" ? <ProblemPage {...data} /> : <TestResultPage {...data} />
);

export const handler = define.handlers<Data>({
  async GET(ctx) {
    const { state, params } = ctx;
    const result = await comeBack(ctx, params.provider ?? "");
    if (result.kind === "done") return result.response;
    if (result.kind === "away") throw new Error("Somebody who came back is not sent away");
    const headers = { "cache-control": "no-store" };
    state.cookies.push(...result.cookies);
    if (result.kind === "problem") {
      state.meta.title = t("Sign in");
      const { problem } = result;
      const data = { problem, next: "/projects", isAdmin: isInstanceAdmin(state) };
      return page<Data>({ kind: "problem", ...data }, { status: problem.status, headers });
    }
    const provider = await findProvider(state.services.kv, params.provider ?? "");
    if (provider === null || !isInstanceAdmin(state)) return ctx.redirect("/projects", 303);
    state.meta.title = t("Test of {provider}", { provider: provider.name });
    const view = await testView(ctx, provider, result.answered);
    return page<Data>({ kind: "test", ...view }, { headers });
  },
});

async function testView(ctx: Asking, provider: Provider, answered: Answered) {
  const { kv } = ctx.state.services;
  const plan = await planArrival(kv, provider, answered.profile, { hasInvite: false });
  return { shell: await loadShell(ctx), provider, plan, ...answered };
}

function isInstanceAdmin({ actor }: State): boolean {
  return actor.kind === "user" && actor.user.isInstanceAdmin;
}
