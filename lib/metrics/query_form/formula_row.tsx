import type { Formula } from "../query_types.ts";
import { Icon } from "../../ui/components/icon.tsx";
import type { FieldProblem } from "../read_exploration.ts";
import { rowControl, RowField } from "./row_field.tsx";

export interface FormulaRowProps {
  readonly formula: Formula;
  readonly prefix: string;
  readonly problems: readonly FieldProblem[];
}

/** One formula over queries, with the unit of what comes out. */
export function FormulaRow({ formula, prefix, problems }: FormulaRowProps) {
  const { id, expression, unit } = formula;
  const name = `${prefix}${id}`;
  const text = { type: "text", autocomplete: "off", spellcheck: false } as const;
  return (
    <fieldset class="query-row">
      <legend class="sr-only">Formula {id}</legend>
      <span class="query-id" aria-hidden="true">{id}</span>
      <RowField name={name} label="Formula" problems={problems} class="query-formula">
        <input
          {...rowControl(name, problems)}
          {...text}
          value={expression}
          maxLength={500}
          placeholder="a / b * 100"
        />
      </RowField>
      <RowField name={`${name}.unit`} label="Unit" problems={problems} class="query-unit">
        <input
          {...rowControl(`${name}.unit`, problems)}
          {...text}
          value={unit}
          maxLength={255}
          placeholder="%, s, By/s"
        />
      </RowField>
      <button
        type="submit"
        name={`${prefix}remove`}
        value={id}
        aria-label={`Remove formula ${id}`}
        title={`Remove formula ${id}`}
        class="query-remove"
      >
        <Icon name="close" size={14} />
      </button>
    </fieldset>
  );
}
