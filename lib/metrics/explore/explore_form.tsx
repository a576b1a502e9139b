import { Button } from "../../ui/components/button.tsx";
import { scopeParams } from "../../ui/scope.ts";
import type { Tracing } from "../../releases/load_tracing.ts";
import { EXPLORE_DEFAULTS, explorePath, metricCompletionsPath } from "../paths.ts";
import type { QueryForm } from "../query_form/load_query_form.ts";
import { QueryBuilder } from "../query_form/query_builder.tsx";
import { ROW_CONTROL, rowControl, RowField } from "../query_form/row_field.tsx";

export interface ExploreFormProps {
  readonly tracing: Tracing;
  readonly form: QueryForm;
}

/** Seconds with their names. */
const STEPS = [
  [1, "1 s"],
  [10, "10 s"],
  [60, "1 min"],
  [300, "5 min"],
  [600, "10 min"],
  [1_800, "30 min"],
  [3_600, "1 h"],
  [21_600, "6 h"],
  [86_400, "1 d"],
] as const;

/** Queries, step and comparison: a form that leads to the page's own address. */
export function ExploreForm({ tracing, form }: ExploreFormProps) {
  const { project, scope } = tracing;
  const { hidden, view } = form;
  const kept: [string, string][] = [
    ...scopeParams(scope),
    ...hidden.map((id): [string, string] => ["hide", id]),
    ...view === EXPLORE_DEFAULTS.view ? [] : [["view", view] satisfies [string, string]],
    // Says that the address is the form's, with empty fields in it.
    ["form", "1"],
  ];
  return (
    <form
      method="get"
      action={explorePath(project.id)}
      class="rounded-lg border border-line bg-surface p-3"
    >
      {kept.map(([name, value]) => (
        <input key={`${name}=${value}`} type="hidden" name={name} value={value} />
      ))}
      <QueryBuilder form={form} completionsPath={metricCompletionsPath(project.id)} />
      <div class="mt-3 flex flex-wrap items-end gap-x-4 gap-y-2 border-t border-line pt-3">
        <StepField form={form} />
        <label class="flex h-8 items-center gap-2 text-sm">
          <input
            type="checkbox"
            name="compare"
            value="1"
            checked={form.comparesPrevious}
            class="size-4 accent-accent-fill"
          />
          Compare with the time before
        </label>
        <Button kind="primary" class="ml-auto">Update</Button>
      </div>
    </form>
  );
}

function StepField({ form: { stepMs, problems } }: Pick<ExploreFormProps, "form">) {
  const seconds = stepMs === null ? null : stepMs / 1000;
  const isListed = seconds === null || STEPS.some(([step]) => step === seconds);
  return (
    <RowField name="step" label="Step" problems={problems} class="w-32">
      <select {...rowControl("step", problems)} class={ROW_CONTROL}>
        <option value="">automatic</option>
        {!isListed && <option value={seconds} selected>{`${seconds} s`}</option>}
        {STEPS.map(([step, label]) => (
          <option key={step} value={step} selected={step === seconds}>{label}</option>
        ))}
      </select>
    </RowField>
  );
}
