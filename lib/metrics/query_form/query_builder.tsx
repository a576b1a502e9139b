import { t } from "../../core/language/translate.ts";
import type { ComponentChildren } from "preact";
import MetricAssist from "@/islands/MetricAssist.tsx";
import type { Metric } from "../../records/mod.ts";
import { Button } from "../../ui/components/button.tsx";
import { CONTROL_LOOK } from "../../ui/components/fields.tsx";
import { classes, Icon } from "../../ui/components/icon.tsx";
import { type FieldProblem, MAX_FORMULAS, MAX_QUERIES, type QueryDraft } from "../exploration.ts";
import {
  type Aggregation,
  AGGREGATIONS,
  aggregationsOf,
  type Formula,
  meantMetric,
} from "../query_types.ts";
import { unitName } from "../units.ts";
import type { QueryForm } from "./load_query_form.ts";

interface QueryBuilderProps {
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
        {t("Update")}
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
          <Button size="sm" icon="plus" name={`${prefix}add`} value="query">
            {t("Add query")}
          </Button>
        )}
        {formulaDrafts.length < MAX_FORMULAS && (
          <Button size="sm" icon="plus" name={`${prefix}add`} value="formula">
            {t("Add formula")}
          </Button>
        )}
      </div>
      <MetricAssist builderId={id} completionsPath={completionsPath} />
    </div>
  );
}

interface QueryRowProps {
  readonly draft: QueryDraft;
  readonly prefix: string;
  /** The metrics of the draft's name, the one seen last first. */
  readonly known: readonly Metric[];
  readonly problems: readonly FieldProblem[];
  readonly isRemovable: boolean;
}

/** One query: metric, aggregation, filter, labels to group by, and how many groups. */
function QueryRow({ draft, prefix, known, problems, isRemovable }: QueryRowProps) {
  const name = (field: string) => `${prefix}${draft.id}.${field}`;
  const common = (field: string, label: string) => ({ name: name(field), label, problems });
  const control = (field: string) => rowControl(name(field), problems);
  const text = { type: "text", autocomplete: "off", spellcheck: false } as const;
  const metric = meantMetric(known, draft);
  return (
    <fieldset class="query-row" data-query={draft.id}>
      <legend class="sr-only">{t("Query {id}", { id: draft.id })}</legend>
      <code class="query-id" aria-hidden="true">{draft.id}</code>
      <RowField {...common("metric", t("Metric"))} class="query-metric">
        <input
          {...control("metric")}
          {...text}
          value={draft.metric}
          maxLength={255}
          placeholder="http.server.request.duration"
          title={metric?.description || undefined}
          data-complete="metric"
        />
        <input type="hidden" name={name("of")} value={draft.metric} />
      </RowField>
      <Identity draft={draft} prefix={prefix} known={known} />
      <RowField {...common("agg", t("Aggregation"))} class="query-aggregation">
        <select {...control("agg")}>
          <AggregationOptions draft={draft} metric={metric} />
        </select>
      </RowField>
      <RowField {...common("filter", t("Filter@@noun"))} class="query-filter">
        <input
          {...control("filter")}
          {...text}
          value={draft.filter}
          placeholder={t('route="/cart",status=~"5.."')}
          data-complete="filter"
        />
      </RowField>
      <RowField {...common("by", t("Group by"))} class="query-by">
        <input
          {...control("by")}
          {...text}
          value={draft.groupBy.join(", ")}
          placeholder={t("labels")}
          data-complete="labels"
        />
      </RowField>
      <RowField {...common("top", t("Top"))} class="query-top">
        <input {...control("top")} type="number" min={1} max={100} value={draft.top} />
      </RowField>
      {isRemovable && (
        <button
          type="submit"
          name={`${prefix}remove`}
          value={draft.id}
          aria-label={t("Remove query {id}", { id: draft.id })}
          title={t("Remove query {id}", { id: draft.id })}
          class="query-remove"
        >
          <Icon name="close" size={14} />
        </button>
      )}
    </fieldset>
  );
}

/** Which of several metrics of one name is meant; hidden where there is no choice. */
function Identity({ draft, prefix, known }: Pick<QueryRowProps, "draft" | "prefix" | "known">) {
  const name = (field: string) => `${prefix}${draft.id}.${field}`;
  if (known.length < 2) {
    return (
      <>
        {draft.kind !== null && <input type="hidden" name={name("kind")} value={draft.kind} />}
        {draft.unit !== null && <input type="hidden" name={name("unit")} value={draft.unit} />}
      </>
    );
  }
  const chosen = draft.kind === null ? "" : `${draft.kind}:${draft.unit ?? ""}`;
  return (
    <RowField name={name("as")} label={t("Of this name")} problems={[]} class="query-identity">
      <select {...rowControl(name("as"), [])}>
        <option value="">{t("seen last")}</option>
        {known.map(({ kind, unit }) => (
          <option
            key={`${kind}:${unit}`}
            value={`${kind}:${unit}`}
            selected={chosen === `${kind}:${unit}`}
          >
            {unitName(unit) === "" ? t(kind) : `${t(kind)}, ${unitName(unit)}`}
          </option>
        ))}
      </select>
    </RowField>
  );
}

interface AggregationOptionsProps {
  readonly draft: QueryDraft;
  readonly metric: Metric | undefined;
}

function AggregationOptions({ draft, metric }: AggregationOptionsProps) {
  const kind = metric?.kind ?? draft.kind;
  const offered: readonly Aggregation[] = kind === null
    ? AGGREGATIONS
    : aggregationsOf({ name: draft.metric, kind });
  const { aggregation } = draft;
  const listed = aggregation === null || offered.includes(aggregation)
    ? offered
    : [aggregation, ...offered];
  return (
    <>
      {kind === null && <option value="">{t("default")}</option>}
      {listed.map((option) => (
        <option key={option} value={option} selected={option === aggregation}>{option}</option>
      ))}
    </>
  );
}

interface FormulaRowProps {
  readonly formula: Formula;
  readonly prefix: string;
  readonly problems: readonly FieldProblem[];
}

/** One formula over queries, with the unit of what comes out. */
function FormulaRow({ formula, prefix, problems }: FormulaRowProps) {
  const { id, expression, unit } = formula;
  const name = `${prefix}${id}`;
  const text = { type: "text", autocomplete: "off", spellcheck: false } as const;
  return (
    <fieldset class="query-row">
      <legend class="sr-only">{t("Formula {id}", { id })}</legend>
      <code class="query-id" aria-hidden="true">{id}</code>
      <RowField name={name} label={t("Formula")} problems={problems} class="query-formula">
        <input
          {...rowControl(name, problems)}
          {...text}
          value={expression}
          maxLength={500}
          placeholder="a / b * 100"
        />
      </RowField>
      <RowField name={`${name}.unit`} label={t("Unit")} problems={problems} class="query-unit">
        <input
          {...rowControl(`${name}.unit`, problems)}
          {...text}
          value={unit}
          maxLength={255}
          placeholder={t("%, s, By/s")}
        />
      </RowField>
      <button
        type="submit"
        name={`${prefix}remove`}
        value={id}
        aria-label={t("Remove formula {id}", { id })}
        title={t("Remove formula {id}", { id })}
        class="query-remove"
      >
        <Icon name="close" size={14} />
      </button>
    </fieldset>
  );
}

/** Look of the fields of a row. */
export const ROW_CONTROL = classes(CONTROL_LOOK, "h-8 text-sm");

/** Id of a field by its name; summaries of errors link to it. */
function rowFieldId(name: string): string {
  return `field-${name}`;
}

interface RowFieldProps {
  readonly name: string;
  readonly label: string;
  readonly problems: readonly FieldProblem[];
  readonly class: string;
  /** The control, which has the attributes of {@linkcode rowControl}. */
  readonly children: ComponentChildren;
}

/** A small label, the control, and what is wrong with it. */
export function RowField({ name, label, problems, class: extra, children }: RowFieldProps) {
  const own = problems.filter(({ field }) => field === name);
  return (
    <div class={classes("min-w-0", extra)}>
      <label for={rowFieldId(name)} class="block text-meta text-muted">{label}</label>
      {children}
      {own.map(({ message }) => (
        <p key={message} id={`${rowFieldId(name)}-error`} class="mt-0.5 text-sm text-danger">
          {message}
        </p>
      ))}
    </div>
  );
}

/** Attributes of the control of a row's field. */
export function rowControl(name: string, problems: readonly FieldProblem[]) {
  const isWrong = problems.some(({ field }) => field === name);
  return {
    id: rowFieldId(name),
    name,
    class: ROW_CONTROL,
    ...isWrong && {
      "aria-invalid": "true" as const,
      "aria-describedby": `${rowFieldId(name)}-error`,
    },
  };
}
