import type { Panel } from "../content.ts";
import type { DashboardContent } from "../content.ts";
import { Alert } from "../../ui/components/alert.tsx";
import { Button, LinkButton } from "../../ui/components/button.tsx";
import { type FormErrors, FormSummary } from "../../ui/components/form_summary.tsx";
import { PageHeader } from "../../ui/components/page_header.tsx";
import { Panel as Box } from "../../ui/components/panel.tsx";
import { scopedHref } from "../../ui/scope.ts";
import type { Shell } from "../../ui/shell.ts";
import type { Tracing } from "../../releases/load_tracing.ts";
import { DashboardFrame } from "../dashboard_frame.tsx";
import type { PanelData } from "../panels/panel_data.ts";
import { panelTitle } from "../panels/panel_title.ts";
import { PanelView } from "../panels/panel_view.tsx";
import { dashboardPath } from "../paths.ts";
import type { PanelDraft } from "./panel_draft.ts";
import { PanelFields } from "./panel_fields.tsx";

export interface PanelFormView {
  readonly shell: Shell;
  readonly tracing: Tracing;
  readonly dashboard: {
    readonly dashboardId: string;
    readonly name: string;
    readonly version: number;
    readonly content: DashboardContent;
  };
  readonly isNew: boolean;
  readonly draft: PanelDraft;
  readonly errors: FormErrors;
  /** Somebody saved the dashboard in the meantime: a sentence. */
  readonly conflict: string | null;
  /** The panel as it would be, where it can be. */
  readonly preview: { readonly panel: Panel; readonly data: PanelData } | null;
  /** Transactions to choose from. */
  readonly transactions: readonly string[];
}

const TITLES = {
  metrics: "metrics",
  errors: "errors",
  transactions: "transactions",
  text: "text",
} as const;

/** The form of one panel with a preview. */
export function PanelFormPage(view: PanelFormView) {
  const { shell, tracing, dashboard, isNew, draft, errors, conflict } = view;
  const { project, scope } = tracing;
  const back = scopedHref(dashboardPath(project.id, dashboard.dashboardId), scope, { edit: "1" });
  const title = isNew ? `Add ${TITLES[draft.kind]}` : "Edit the panel";
  return (
    <DashboardFrame
      shell={shell}
      tracing={tracing}
      crumbs={[{ label: dashboard.name, href: back }, { label: title }]}
    >
      <PageHeader title={title} />
      <form method="post" class="space-y-4">
        <input type="hidden" name="version" value={dashboard.version} />
        <input type="hidden" name="kind" value={draft.kind} />
        {conflict !== null && (
          <Alert kind="warning">
            {conflict}{" "}
            What you entered is still here, and what they changed elsewhere stays. Look at{" "}
            <a class="link" href={back} target="_blank">the dashboard as it is now</a>{" "}
            or press Save again.
          </Alert>
        )}
        <FormSummary errors={errors} />
        <PanelFields {...view} />
        <div class="flex flex-wrap gap-2">
          <Button kind="primary" name="save" value="1">Save</Button>
          <Button name="preview" value="1">Preview</Button>
          <LinkButton kind="plain" href={back}>Cancel</LinkButton>
        </div>
      </form>
      <Preview {...view} />
    </DashboardFrame>
  );
}

function Preview({ tracing, preview, dashboard }: PanelFormView) {
  if (preview === null) return null;
  const { panel, data } = preview;
  return (
    <div class="mt-6">
      <Box title={panelTitle(panel)} description="As it would look.">
        <div class="dash-preview">
          <PanelView
            panel={panel}
            data={data}
            tracing={tracing}
            path={dashboardPath(tracing.project.id, dashboard.dashboardId)}
            keep={{}}
          />
        </div>
      </Box>
    </div>
  );
}
