import { readChoices } from "../variables.ts";
import type { Dashboard } from "../dashboards.ts";
import { readStats } from "../../store/stats/read_stats.ts";
import type { FormErrors } from "../../ui/components/form_summary.tsx";
import type { Shell } from "../../ui/shell.ts";
import { selectionOf, type Tracing } from "../../releases/load_tracing.ts";
import { loadPanel, type PanelServices } from "../load_panels.ts";
import { type PanelDraft, panelOf } from "./panel_draft.ts";
import type { PanelFormView } from "./panel_form_page.tsx";

/** Transactions that are offered. */
const SUGGESTED = 100;

export interface PanelFormLoading {
  readonly shell: Shell;
  readonly tracing: Tracing;
  readonly dashboard: Dashboard;
  /** Null: a new one. */
  readonly panelId: string | null;
  readonly draft: PanelDraft;
  /** That the form is about. @default the dashboard's */
  readonly version?: number;
  readonly errors?: FormErrors;
  readonly conflict?: string | null;
}

/** What the form of a panel shows, with a preview where the draft makes a panel. */
export async function loadPanelForm(
  services: PanelServices,
  loading: PanelFormLoading,
): Promise<PanelFormView> {
  const { shell, tracing, dashboard, panelId, draft, errors = {}, conflict = null } = loading;
  const { content } = dashboard;
  const drafted = panelOf(draft, content.panels, panelId);
  const choices = readChoices(content.variables, new URLSearchParams());
  const [data, transactions] = await Promise.all([
    "panel" in drafted ? loadPanel(services, tracing, drafted.panel, choices) : null,
    draft.kind === "transactions" ? transactionNames(services, tracing) : [],
  ]);
  return {
    shell,
    tracing,
    dashboard: { ...dashboard, version: loading.version ?? dashboard.version },
    isNew: panelId === null,
    draft,
    errors,
    conflict,
    preview: "panel" in drafted && data !== null ? { panel: drafted.panel, data } : null,
    transactions,
  };
}

async function transactionNames({ sql }: PanelServices, tracing: Tracing): Promise<string[]> {
  const selection = selectionOf(tracing, "transaction");
  const stats = await readStats(sql, selection, ["name"], ["sketch", "users"]);
  return stats.slice(0, SUGGESTED).map(({ name }) => name);
}
