import { LIMITS } from "../limits.ts";
import { Button } from "../../ui/components/button.tsx";
import { Field } from "../../ui/components/field.tsx";
import { type FormErrors, FormSummary } from "../../ui/components/form_summary.tsx";
import { PageHeader } from "../../ui/components/page_header.tsx";
import { Panel } from "../../ui/components/panel.tsx";
import { Select } from "../../ui/components/select.tsx";
import { explorationParams } from "../../metrics/paths.ts";
import { queryWords } from "../../metrics/query_words.ts";
import type { QueryForm } from "../../metrics/query_form/load_query_form.ts";
import type { Shell } from "../../ui/shell.ts";
import type { Tracing } from "../../releases/load_tracing.ts";
import { DashboardFrame } from "../dashboard_frame.tsx";
import type { DashboardList } from "../load_list.ts";

export interface AddView {
  readonly shell: Shell;
  readonly tracing: Tracing;
  readonly dashboards: DashboardList["dashboards"];
  readonly queryForm: QueryForm;
  readonly entered: { readonly dashboard: string; readonly name: string; readonly title: string };
  readonly errors: FormErrors;
}

/** The choice that makes a dashboard. */
export const NEW_DASHBOARD = "";

/** Where what was explored is to be kept. */
export function AddPage(view: AddView) {
  const { shell, tracing, dashboards, queryForm, entered, errors } = view;
  const { queries, formulas } = queryForm;
  return (
    <DashboardFrame
      shell={shell}
      tracing={tracing}
      crumbs={[{ label: "Add to a dashboard" }]}
      width="narrow"
    >
      <PageHeader title="Add to a dashboard" />
      <form method="post" class="space-y-4">
        {explorationParams(queryForm).map(([name, value], index) => (
          <input key={index} type="hidden" name={name} value={value} />
        ))}
        <FormSummary errors={errors} />
        <Panel title="What is added">
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
        <Panel title="Where to">
          <div class="space-y-4">
            <Select
              name="dashboard"
              label="Dashboard"
              value={entered.dashboard}
              options={[
                ...dashboards.map(({ dashboardId, name }) => ({ value: dashboardId, label: name })),
                { value: NEW_DASHBOARD, label: "A new one" },
              ]}
            />
            <Field
              name="name"
              label="Name of a new dashboard"
              value={entered.name}
              error={errors.name}
              maxLength={LIMITS.name}
              isOptional
            />
            <Field
              name="title"
              label="Title of the panel"
              value={entered.title}
              error={errors.title}
              maxLength={LIMITS.title}
              help="Without one, it says what it shows."
              isOptional
            />
          </div>
        </Panel>
        <Button kind="primary">Add</Button>
      </form>
    </DashboardFrame>
  );
}
