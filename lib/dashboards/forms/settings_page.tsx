import { rich, t } from "../../core/language/translate.ts";
import { explorationParams, type QueryForm, queryWords } from "../../metrics/mod.ts";
import type { PageScope } from "../../releases/request_scope.ts";
import { Button, LinkButton } from "../../ui/components/button.tsx";
import {
  ConfirmByName,
  Field,
  type FormErrors,
  FormSummary,
  HiddenFields,
  Select,
} from "../../ui/components/fields.tsx";
import { Alert, Panel } from "../../ui/components/panel.tsx";
import { scopedHref } from "../../ui/scope.ts";
import type { Shell } from "../../ui/shell.ts";
import { LIMITS, type Variable } from "../content.ts";
import { DashboardFrame, dashboardPath } from "../dashboard_frame.tsx";
import type { DashboardList } from "../list_page.tsx";

export interface SettingsView {
  readonly shell: Shell;
  readonly pageScope: PageScope;
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
  const { shell, pageScope, dashboardId, name, version, entered, errors, conflict } = view;
  const back = scopedHref(dashboardPath(pageScope.project.id, dashboardId), pageScope.scope);
  return (
    <DashboardFrame
      shell={shell}
      pageScope={pageScope}
      title={t("Settings of {name}", { name })}
      crumbs={[{ label: name, href: back }, { label: t("Settings") }]}
      width="narrow"
    >
      <div class="space-y-6">
        <form method="post" class="space-y-4">
          <input type="hidden" name="version" value={version} />
          {conflict !== null && (
            <Alert kind="warning">
              {conflict} {t(
                "What you entered is still here. Press Save again to put it in place of their name, description and variables.",
              )}
            </Alert>
          )}
          <FormSummary errors={errors} />
          <Panel title={t("The dashboard")}>
            <div class="space-y-4">
              <Field
                name="name"
                label={t("Name")}
                value={entered.name}
                error={errors.name}
                maxLength={LIMITS.name}
                required
              />
              <Field
                name="description"
                label={t("Description")}
                value={entered.description}
                error={errors.description}
                maxLength={LIMITS.description}
                isOptional
              />
            </div>
          </Panel>
          <Variables variables={entered.variables} errors={errors} />
          <div class="flex gap-2">
            <Button kind="primary" name="action" value="save">{t("Save")}</Button>
            <LinkButton kind="plain" href={back}>{t("Cancel")}</LinkButton>
          </div>
        </form>
        <Panel title={t("Delete")} danger>
          <ConfirmByName
            name={name}
            action={t("Delete dashboard")}
            idPrefix="delete-"
            fields={{ action: "delete" }}
            consequence={t("It is gone for everybody. An export can be imported again.")}
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
      title={t("Variables")}
      description={
        <>
          {rich(
            'Choices above the panels. A variable is a label of metrics, such as <code>http.route</code>; filters ask for the chosen value as <code>http.route="$http.route"</code>. Environment, release and service are there always.',
            { code: (words) => <code>{words}</code> },
          )}
        </>
      }
    >
      <div class="space-y-3">
        {rows.map(({ label, value }, index) => (
          <div key={index} class="grid gap-3 sm:grid-cols-2">
            <Field
              name={`label${index}`}
              label={t("Label {n}", { n: index + 1 })}
              value={label}
              error={errors[`label${index}`]}
              maxLength={LIMITS.label}
              help={label === "" ? "" : t("Empty it to remove the variable.")}
              mono
            />
            <Field
              name={`value${index}`}
              label={t("Chosen at first")}
              value={value}
              placeholder={t("All")}
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

export interface NewDashboardView {
  readonly shell: Shell;
  readonly pageScope: PageScope;
  /** Which of the two forms was sent or is asked for. */
  readonly from: "nothing" | "json";
  readonly name: string;
  readonly json: string;
  readonly errors: FormErrors;
}

/** A new dashboard, empty or from an export. */
export function NewDashboardPage(view: NewDashboardView) {
  const { shell, pageScope, from } = view;
  const forms = from === "json" ? [Imported, Empty] : [Empty, Imported];
  return (
    <DashboardFrame shell={shell} pageScope={pageScope} title={t("New dashboard")} width="narrow">
      <div class="space-y-6">
        {forms.map((Form, index) => <Form key={index} {...view} isFirst={index === 0} />)}
      </div>
    </DashboardFrame>
  );
}

interface FormProps extends NewDashboardView {
  readonly isFirst: boolean;
}

function Empty({ from, name, errors, isFirst }: FormProps) {
  const own = from === "nothing" ? errors : {};
  return (
    <Panel title={t("Empty")}>
      <form method="post" class="space-y-4">
        <input type="hidden" name="from" value="nothing" />
        <FormSummary errors={own} />
        <Field
          name="name"
          label={t("Name")}
          value={name}
          error={own.name}
          maxLength={LIMITS.name}
          autofocus={isFirst}
          required
        />
        <Button kind={isFirst ? "primary" : "secondary"}>{t("Create")}</Button>
      </form>
    </Panel>
  );
}

function Imported({ from, json, errors, isFirst }: FormProps) {
  const own = from === "json" ? errors : {};
  return (
    <Panel
      title={t("From JSON")}
      description={t(
        "What “Export as JSON” of a dashboard gave, from here or from another project. Choose the file or paste the text.",
      )}
    >
      <form method="post" enctype="multipart/form-data" class="space-y-4">
        <input type="hidden" name="from" value="json" />
        <FormSummary errors={own} />
        <div>
          <label for="field-file" class="mb-1 block font-medium">{t("File")}</label>
          <input
            id="field-file"
            type="file"
            name="file"
            accept="application/json,.json"
            class="max-w-full text-sm file:mr-3 file:h-8 file:cursor-pointer file:rounded-md file:border file:border-solid file:border-line-strong file:bg-surface file:px-3 file:font-medium"
          />
        </div>
        <Field
          name="json"
          label={t("Text")}
          value={json}
          error={own.json}
          rows={8}
          mono
          isOptional
        />
        <Button kind={isFirst ? "primary" : "secondary"}>{t("Import")}</Button>
      </form>
    </Panel>
  );
}

export interface AddView {
  readonly shell: Shell;
  readonly pageScope: PageScope;
  readonly dashboards: DashboardList["dashboards"];
  readonly queryForm: QueryForm;
  readonly entered: { readonly dashboard: string; readonly name: string; readonly title: string };
  readonly errors: FormErrors;
}

/** The choice that makes a dashboard. */
export const NEW_DASHBOARD = "";

/** Where what was explored is to be kept. */
export function AddPage(view: AddView) {
  const { shell, pageScope, dashboards, queryForm, entered, errors } = view;
  const { queries, formulas } = queryForm;
  return (
    <DashboardFrame
      shell={shell}
      pageScope={pageScope}
      title={t("Add to a dashboard")}
      width="narrow"
    >
      <form method="post" class="space-y-4">
        <HiddenFields pairs={explorationParams(queryForm)} />
        <FormSummary errors={errors} />
        <Panel title={t("What is added")}>
          <ul class="space-y-1">
            {queries.map((query) => (
              <li key={query.id}>
                <code class="wrap-anywhere">{`${query.id}: ${queryWords(query)}`}</code>
              </li>
            ))}
            {formulas.map(({ id, expression }) => (
              <li key={id}>
                <code class="wrap-anywhere">{`${id}: ${expression}`}</code>
              </li>
            ))}
          </ul>
        </Panel>
        <Panel title={t("Where to")}>
          <div class="space-y-4">
            <Select
              name="dashboard"
              label={t("Dashboard")}
              value={entered.dashboard}
              options={[
                ...dashboards.map(({ dashboardId, name }) => ({ value: dashboardId, label: name })),
                { value: NEW_DASHBOARD, label: t("A new one") },
              ]}
            />
            <Field
              name="name"
              label={t("Name of a new dashboard")}
              value={entered.name}
              error={errors.name}
              maxLength={LIMITS.name}
              isOptional
            />
            <Field
              name="title"
              label={t("Title of the panel")}
              value={entered.title}
              error={errors.title}
              maxLength={LIMITS.title}
              help={t("Without one, it says what it shows.")}
              isOptional
            />
          </div>
        </Panel>
        <Button kind="primary">{t("Add")}</Button>
      </form>
    </DashboardFrame>
  );
}
