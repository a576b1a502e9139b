import type { Variable } from "../content.ts";
import { LIMITS } from "../limits.ts";
import { Alert } from "../../ui/components/alert.tsx";
import { Button, LinkButton } from "../../ui/components/button.tsx";
import { ConfirmByName } from "../../ui/components/confirm_by_name.tsx";
import { Field } from "../../ui/components/field.tsx";
import { type FormErrors, FormSummary } from "../../ui/components/form_summary.tsx";
import { PageHeader } from "../../ui/components/page_header.tsx";
import { Panel } from "../../ui/components/panel.tsx";
import { scopedHref } from "../../ui/scope.ts";
import type { Shell } from "../../ui/shell.ts";
import type { Tracing } from "../../releases/load_tracing.ts";
import { DashboardFrame } from "../dashboard_frame.tsx";
import { dashboardPath } from "../paths.ts";

export interface SettingsView {
  readonly shell: Shell;
  readonly tracing: Tracing;
  readonly dashboardId: string;
  /** As it is kept. */
  readonly name: string;
  readonly version: number;
  /** As they stand in the form. */
  readonly entered: {
    readonly name: string;
    readonly description: string;
    readonly variables: readonly Variable[];
  };
  readonly errors: FormErrors;
  readonly conflict: string | null;
  /** What was wrong with the name typed to delete it. */
  readonly confirmError?: string;
}

/** Empty rows for variables beside those there are. */
const MORE_ROWS = 2;

/** Name, description and variables of a dashboard, and its end. */
export function SettingsPage(view: SettingsView) {
  const { shell, tracing, dashboardId, name, version, entered, errors, conflict } = view;
  const back = scopedHref(dashboardPath(tracing.project.id, dashboardId), tracing.scope);
  return (
    <DashboardFrame
      shell={shell}
      tracing={tracing}
      crumbs={[{ label: name, href: back }, { label: "Settings" }]}
      width="narrow"
    >
      <PageHeader title={`Settings of ${name}`} />
      <div class="space-y-6">
        <form method="post" class="space-y-4">
          <input type="hidden" name="version" value={version} />
          {conflict !== null && (
            <Alert kind="warning">
              {conflict}{" "}
              What you entered is still here. Press Save again to put it in place of their name,
              description and variables.
            </Alert>
          )}
          <FormSummary errors={errors} />
          <Panel title="The dashboard">
            <div class="space-y-4">
              <Field
                name="name"
                label="Name"
                value={entered.name}
                error={errors.name}
                maxLength={LIMITS.name}
                required
              />
              <Field
                name="description"
                label="Description"
                value={entered.description}
                error={errors.description}
                maxLength={LIMITS.description}
                isOptional
              />
            </div>
          </Panel>
          <Variables variables={entered.variables} errors={errors} />
          <div class="flex gap-2">
            <Button kind="primary" name="action" value="save">Save</Button>
            <LinkButton kind="plain" href={back}>Cancel</LinkButton>
          </div>
        </form>
        <Panel title="Delete" danger>
          <ConfirmByName
            name={name}
            action="Delete dashboard"
            idPrefix="delete-"
            fields={{ action: "delete" }}
            consequence="It is gone for everybody. An export can be imported again."
            error={view.confirmError}
          />
        </Panel>
      </div>
    </DashboardFrame>
  );
}

function Variables(
  { variables, errors }: { variables: readonly Variable[]; errors: FormErrors },
) {
  const rows = [
    ...variables,
    ...Array.from({ length: MORE_ROWS }, () => ({ label: "", value: "" })),
  ].slice(0, LIMITS.variables);
  return (
    <Panel
      title="Variables"
      description={
        <>
          Choices above the panels. A variable is a label of metrics, such as{" "}
          <code>http.route</code>; filters ask for the chosen value as{" "}
          <code>http.route="$http.route"</code>. Environment, release and service are there always.
        </>
      }
    >
      <div class="space-y-3">
        {rows.map(({ label, value }, index) => (
          <div key={index} class="grid gap-3 sm:grid-cols-2">
            <Field
              name={`label${index}`}
              label={`Label ${index + 1}`}
              value={label}
              error={errors[`label${index}`]}
              maxLength={LIMITS.label}
              help={label === "" ? "" : "Empty it to remove the variable."}
              mono
            />
            <Field
              name={`value${index}`}
              label="Chosen at first"
              value={value}
              placeholder="All"
              maxLength={LIMITS.labelValue}
              isOptional
              mono
            />
          </div>
        ))}
      </div>
    </Panel>
  );
}
