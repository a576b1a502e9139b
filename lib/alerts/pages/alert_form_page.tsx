import type { Project } from "../../accounts/projects.ts";
import type { StoredRule } from "../rules.ts";
import type { AlertInput, AlertSource } from "../rule.ts";
import type { Channel } from "../channels/channels.ts";
import { Button, LinkButton } from "../../ui/components/button.tsx";
import { type FormErrors, FormSummary } from "../../ui/components/form_summary.tsx";
import { Page } from "../../ui/components/page.tsx";
import { PageHeader } from "../../ui/components/page_header.tsx";
import type { QueryForm } from "../../metrics/query_form/load_query_form.ts";
import { sectionPath } from "../../ui/links.ts";
import type { Shell } from "../../ui/shell.ts";
import { ConditionPanel } from "./condition_panel.tsx";
import type { FormPreview } from "./preview_form.ts";
import { NoticePanel } from "./notice_panel.tsx";
import { alertPath, alertsPath } from "../../ui/paths.ts";
import { PREVIEW_ID, PreviewPanel } from "./preview_panel.tsx";
import { SourcePanel } from "./source_panel.tsx";
import { valueKindOf } from "../values.ts";
import { suggestedName } from "../words.ts";

export interface AlertFormView {
  readonly shell: Shell;
  readonly project: Project;
  /** The alert that is changed; null for a new one. */
  readonly rule: StoredRule | null;
  /** What stands in the fields. */
  readonly params: URLSearchParams;
  readonly queries: QueryForm;
  readonly errors: FormErrors;
  /** What the fields come to, as far as they can be understood. */
  readonly source: AlertSource | null;
  readonly input: AlertInput | null;
  readonly preview: FormPreview | null;
  readonly channels: readonly Channel[];
  readonly environments: readonly string[];
  readonly transactions: readonly string[];
  readonly completionsPath: string;
}

/** The form for a new alert, or to change one, with a preview of what it would have done. */
export function AlertFormPage(view: AlertFormView) {
  const { shell, project, rule } = view;
  const title = rule === null ? "New alert" : `Edit ${rule.name}`;
  const own = rule === null ? [] : [{ label: rule.name, href: alertPath(project.id, rule.ruleId) }];
  return (
    <Page
      shell={shell}
      section="alerts"
      crumbs={[
        { label: project.name, href: sectionPath(project.id, "issues") },
        { label: "Alerts", href: alertsPath(project.id) },
        ...own,
        { label: rule === null ? "New alert" : "Edit" },
      ]}
    >
      <div class="max-w-5xl">
        <PageHeader title={title} />
        <AlertForm {...view} />
      </div>
    </Page>
  );
}

function AlertForm(view: AlertFormView) {
  const { project, rule, params, errors, source, input } = view;
  const back = rule === null ? alertsPath(project.id) : alertPath(project.id, rule.ruleId);
  return (
    <form method="post" class="alert-form space-y-4" autocomplete="off">
      {/* Enter in a field previews: it must neither save nor take a query away. */}
      <button
        type="submit"
        name="action"
        value="preview"
        class="sr-only"
        tabindex={-1}
        aria-hidden="true"
      >
        Preview
      </button>
      <FormSummary errors={errors} />
      <SourcePanel {...view} />
      <ConditionPanel
        params={params}
        errors={errors}
        valueKind={source === null ? null : valueKindOf(source)}
      />
      <PreviewPanel preview={view.preview} />
      <NoticePanel
        projectId={project.id}
        params={params}
        errors={errors}
        channels={view.channels}
        suggestedName={input === null ? "" : suggestedName(input)}
      />
      <div class="flex flex-wrap gap-2">
        <Button kind="primary" name="action" value="save">
          {rule === null ? "Make alert" : "Save"}
        </Button>
        <Button name="action" value="preview" formaction={`#${PREVIEW_ID}`}>Preview</Button>
        <LinkButton kind="plain" href={back}>Cancel</LinkButton>
      </div>
    </form>
  );
}
