import { aggregationsOf } from "../aggregations.ts";
import { type Aggregation, AGGREGATIONS } from "../query_types.ts";
import type { Metric } from "../../records/mod.ts";
import { Icon } from "../../ui/components/icon.tsx";
import type { FieldProblem, QueryDraft } from "../read_exploration.ts";
import { unitName } from "../units.ts";
import { rowControl, RowField } from "./row_field.tsx";

export interface QueryRowProps {
  readonly draft: QueryDraft;
  readonly prefix: string;
  /** The metrics of the draft's name, the one seen last first. */
  readonly known: readonly Metric[];
  readonly problems: readonly FieldProblem[];
  readonly isRemovable: boolean;
}

/** One query: metric, aggregation, filter, labels to group by, and how many groups. */
export function QueryRow({ draft, prefix, known, problems, isRemovable }: QueryRowProps) {
  const name = (field: string) => `${prefix}${draft.id}.${field}`;
  const common = (field: string, label: string) => ({ name: name(field), label, problems });
  const control = (field: string) => rowControl(name(field), problems);
  const text = { type: "text", autocomplete: "off", spellcheck: false } as const;
  const metric = meantMetric(draft, known);
  return (
    <fieldset class="query-row" data-query={draft.id}>
      <legend class="sr-only">Query {draft.id}</legend>
      <span class="query-id" aria-hidden="true">{draft.id}</span>
      <RowField {...common("metric", "Metric")} class="query-metric">
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
      <RowField {...common("agg", "Aggregation")} class="query-aggregation">
        <select {...control("agg")}>
          <AggregationOptions draft={draft} metric={metric} />
        </select>
      </RowField>
      <RowField {...common("filter", "Filter")} class="query-filter">
        <input
          {...control("filter")}
          {...text}
          value={draft.filter}
          placeholder='route="/cart",status=~"5.."'
          data-complete="filter"
        />
      </RowField>
      <RowField {...common("by", "Group by")} class="query-by">
        <input
          {...control("by")}
          {...text}
          value={draft.groupBy.join(", ")}
          placeholder="labels"
          data-complete="labels"
        />
      </RowField>
      <RowField {...common("top", "Top")} class="query-top">
        <input {...control("top")} type="number" min={1} max={100} value={draft.top} />
      </RowField>
      {isRemovable && (
        <button
          type="submit"
          name={`${prefix}remove`}
          value={draft.id}
          aria-label={`Remove query ${draft.id}`}
          title={`Remove query ${draft.id}`}
          class="query-remove"
        >
          <Icon name="close" size={14} />
        </button>
      )}
    </fieldset>
  );
}

/** The metric that a draft means among those of its name. */
function meantMetric({ kind, unit }: QueryDraft, known: readonly Metric[]): Metric | undefined {
  return known.find((metric) =>
    (kind === null || metric.kind === kind) && (unit === null || metric.unit === unit)
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
    <RowField name={name("as")} label="Of this name" problems={[]} class="query-identity">
      <select {...rowControl(name("as"), [])}>
        <option value="">seen last</option>
        {known.map(({ kind, unit }) => (
          <option
            key={`${kind}:${unit}`}
            value={`${kind}:${unit}`}
            selected={chosen === `${kind}:${unit}`}
          >
            {unitName(unit) === "" ? kind : `${kind}, ${unitName(unit)}`}
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
      {kind === null && <option value="">usual</option>}
      {listed.map((option) => (
        <option key={option} value={option} selected={option === aggregation}>{option}</option>
      ))}
    </>
  );
}
