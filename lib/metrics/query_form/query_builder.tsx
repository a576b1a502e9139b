import MetricAssist from "@/islands/MetricAssist.tsx";
import { Button } from "../../ui/components/button.tsx";
import { MAX_FORMULAS, MAX_QUERIES } from "../read_exploration.ts";
import { FormulaRow } from "./formula_row.tsx";
import type { QueryForm } from "./load_query_form.ts";
import { QueryRow } from "./query_row.tsx";

export interface QueryBuilderProps {
  /** Of `loadQueryForm()`, with the same prefix. */
  readonly form: QueryForm;
  /** Before the names of all fields. @default "" */
  readonly prefix?: string;
  /** Address that completes names, labels and values: `metricCompletionsPath()`. */
  readonly completionsPath: string;
  /** What Enter in a field presses. @default a button without a name */
  readonly usualButton?: { readonly name: string; readonly value: string };
}

/**
 * The part of a form that asks for queries and formulas, to be put within a `<form>`. Its buttons send the form with
 * `add=query`, `add=formula` or `remove=<id>`, which `loadQueryForm()` obeys.
 */
export function QueryBuilder(props: QueryBuilderProps) {
  const { form, prefix = "", completionsPath, usualButton } = props;
  const { drafts, formulaDrafts, problems, known } = form;
  const id = `${prefix}queries`;
  return (
    <div id={id} class="query-builder">
      {/* Enter presses the first button of a form, which would take a row away. */}
      <button type="submit" {...usualButton} class="sr-only" tabindex={-1} aria-hidden="true">
        Update
      </button>
      {drafts.map((draft) => (
        <QueryRow
          key={draft.id}
          draft={draft}
          prefix={prefix}
          known={known[draft.metric] ?? []}
          problems={problems}
          isRemovable={drafts.length > 1}
        />
      ))}
      {formulaDrafts.map((formula) => (
        <FormulaRow key={formula.id} formula={formula} prefix={prefix} problems={problems} />
      ))}
      <div class="flex flex-wrap gap-2">
        {drafts.length < MAX_QUERIES && (
          <Button size="sm" icon="plus" name={`${prefix}add`} value="query">Add query</Button>
        )}
        {formulaDrafts.length < MAX_FORMULAS && (
          <Button size="sm" icon="plus" name={`${prefix}add`} value="formula">Add formula</Button>
        )}
      </div>
      <MetricAssist builderId={id} completionsPath={completionsPath} />
    </div>
  );
}
