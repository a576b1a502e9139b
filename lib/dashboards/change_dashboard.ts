import { t } from "../core/language/translate.ts";
import { findUser } from "../accounts/users.ts";
import type { Stores } from "../store/stores.ts";
import type { FormErrors } from "../ui/components/fields.tsx";
import { attempt } from "../ui/form.ts";
import { formatRelative } from "../ui/format.ts";
import type { DashboardContent } from "./content.ts";
import { type Dashboard, DashboardChanged, saveDashboard } from "./dashboards.ts";

/** What became of a change. */
type Outcome<Change> = {
  readonly kind: "saved";
  readonly version: number;
  readonly change: Change;
} | {
  readonly kind: "refused";
  /** 422 for wrong input, 409 when somebody else was faster. */
  readonly status: 422 | 409;
  readonly errors: FormErrors;
  /** Who was faster, and when, as a sentence; null for wrong input. */
  readonly conflict: string | null;
  /** The dashboard as it is now. */
  readonly dashboard: Dashboard;
  /** That the form is to be about when it is shown again. */
  readonly version: number;
};

/**
 * Saves what a form makes of a dashboard, unless somebody changed it since the form was shown.
 *
 * @param version that the form is about
 * @param makeChange what the dashboard is to be. @throws {InvalidInput}
 */
export async function changeDashboard<
  Change extends { readonly name?: string; readonly content: DashboardContent },
>(
  { sql, kv }: Pick<Stores, "sql" | "kv">,
  { project, userId }: {
    readonly project: { readonly id: string };
    readonly userId: string | null;
  },
  dashboard: Dashboard,
  version: number,
  makeChange: () => Change,
): Promise<Outcome<Change>> {
  const { dashboardId, name } = dashboard;
  try {
    const result = await attempt(async () => {
      const change = makeChange();
      if (version !== dashboard.version) throw new DashboardChanged(dashboard);
      const changed = { name, ...change };
      const saved = await saveDashboard(sql, project.id, dashboardId, version, changed, userId);
      return { version: saved?.version ?? version, change };
    });
    if (result.ok) return { kind: "saved", ...result.value };
    const { errors } = result;
    return { kind: "refused", status: 422, errors, conflict: null, dashboard, version };
  } catch (error) {
    if (!(error instanceof DashboardChanged)) throw error;
    const { current } = error;
    const conflict = await conflictSentence(kv, current);
    return {
      kind: "refused",
      status: 409,
      errors: {},
      conflict,
      dashboard: current,
      version: current.version,
    };
  }
}

async function conflictSentence(kv: Deno.Kv, { updatedBy, updatedAt }: Dashboard): Promise<string> {
  const user = updatedBy === null ? null : await findUser(kv, updatedBy);
  return t("{who} changed this dashboard {when}, while you had it open.", {
    who: user?.name ?? t("Somebody"),
    when: formatRelative(updatedAt),
  });
}
