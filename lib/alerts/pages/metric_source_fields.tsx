import type { FormErrors } from "../../ui/components/form_summary.tsx";
import { Select } from "../../ui/components/select.tsx";
import type { QueryForm } from "../../metrics/query_form/load_query_form.ts";
import { QueryBuilder } from "../../metrics/query_form/query_builder.tsx";
import { FIELDS } from "./form_params.ts";

export interface MetricSourceFieldsProps {
  readonly queries: QueryForm;
  readonly params: URLSearchParams;
  readonly errors: FormErrors;
  /** Address that completes names, labels and values. */
  readonly completionsPath: string;
}

/** Queries and formulas, and which of them is judged. */
export function MetricSourceFields(props: MetricSourceFieldsProps) {
  const { queries, params, errors, completionsPath } = props;
  const { drafts, formulaDrafts } = queries;
  const ids = [...drafts, ...formulaDrafts].map(({ id }) => id);
  // The reader takes the last formula when nobody chose; the form shows the same.
  const usual = formulaDrafts.at(-1)?.id ?? drafts[0]?.id ?? "a";
  const chosen = params.get(FIELDS.judged) ?? "";
  return (
    <div class="space-y-3">
      <QueryBuilder
        form={queries}
        completionsPath={completionsPath}
        usualButton={{ name: "action", value: "preview" }}
      />
      {ids.length > 1 && (
        <div class="max-w-56">
          <Select
            name={FIELDS.judged}
            label="Judged is"
            value={ids.includes(chosen) ? chosen : usual}
            error={errors[FIELDS.judged]}
            options={ids.map((id) => ({ value: id, label: `${id}` }))}
          />
        </div>
      )}
      <p class="text-sm text-muted">
        Each group of “Group by” has a state of its own; all of them are looked at, whatever “Top”
        says.
      </p>
    </div>
  );
}
