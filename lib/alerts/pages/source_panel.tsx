import { ERROR_MEASURES, TRANSACTION_MEASURES } from "../rule.ts";
import type { FormErrors } from "../../ui/components/form_summary.tsx";
import { Panel } from "../../ui/components/panel.tsx";
import { Select } from "../../ui/components/select.tsx";
import { ChoiceTiles } from "../../ui/choice_tiles.tsx";
import { FIELDS } from "./form_params.ts";
import { MetricSourceFields, type MetricSourceFieldsProps } from "./metric_source_fields.tsx";
import { SuggestedField } from "../../ui/suggested_field.tsx";
import { ERROR_LABELS, SOURCE_LABELS, TRANSACTION_LABELS } from "../words.ts";

export interface SourcePanelProps extends MetricSourceFieldsProps {
  readonly params: URLSearchParams;
  readonly errors: FormErrors;
  /** To choose from. */
  readonly environments: readonly string[];
  readonly transactions: readonly string[];
}

/** What an alert watches: transactions, errors or a metric, in which environments. */
export function SourcePanel(props: SourcePanelProps) {
  const { params, errors, transactions } = props;
  return (
    <Panel title="What is watched" id="alert-source">
      <div class="space-y-4">
        <ChoiceTiles
          name={FIELDS.source}
          legend="What is watched"
          value={params.get(FIELDS.source) ?? "transactions"}
          tiles={[
            {
              value: "transactions",
              icon: "transactions",
              label: SOURCE_LABELS.transactions,
              help: "How fast, how often, how well: p95, failures, Apdex, Web Vitals.",
            },
            {
              value: "errors",
              icon: "issues",
              label: SOURCE_LABELS.errors,
              help: "How many errors or users, new issues, issues that came back, spikes.",
            },
            {
              value: "metric",
              icon: "metrics",
              label: SOURCE_LABELS.metric,
              help: "Any query on metrics, with a state for each of its groups.",
            },
          ]}
        />
        <div data-for="transactions" class="grid items-start gap-4 md:grid-cols-[14rem_1fr]">
          <Select
            name={FIELDS.transactionMeasure}
            label="Measure"
            value={params.get(FIELDS.transactionMeasure) ?? "p95"}
            error={errors[FIELDS.transactionMeasure]}
            options={TRANSACTION_MEASURES.map((measure) => ({
              value: measure,
              label: TRANSACTION_LABELS[measure],
            }))}
          />
          <SuggestedField
            name={FIELDS.transaction}
            label="Transaction"
            value={params.get(FIELDS.transaction) ?? ""}
            error={errors[FIELDS.transaction]}
            suggestions={transactions}
            placeholder="All transactions together"
            help="Its exact name, such as GET /cart; for Web Vitals that of the page. Empty for all."
            maxLength={200}
            mono
          />
        </div>
        <div data-for="errors" class="grid items-start gap-4 md:grid-cols-[14rem_1fr]">
          <Select
            name={FIELDS.errorMeasure}
            label="Measure"
            value={params.get(FIELDS.errorMeasure) ?? "events"}
            error={errors[FIELDS.errorMeasure]}
            options={ERROR_MEASURES.map((measure) => ({
              value: measure,
              label: ERROR_LABELS[measure],
            }))}
          />
          <SuggestedField
            name={FIELDS.search}
            label="Which issues"
            value={params.get(FIELDS.search) ?? ""}
            error={errors[FIELDS.search]}
            placeholder="All issues"
            help="As in the search of issues: level:fatal, browser:Firefox*, !release:1.2. Empty for all."
            maxLength={1000}
            mono
          />
        </div>
        <div data-for="metric">
          <MetricSourceFields {...props} />
        </div>
        <EnvironmentField {...props} />
      </div>
    </Panel>
  );
}

function EnvironmentField({ params, environments }: SourcePanelProps) {
  const chosen = params.getAll(FIELDS.environment);
  const listed = [...new Set([...chosen, ...environments])];
  if (listed.length === 0) return null;
  return (
    <fieldset>
      <legend class="mb-1 font-medium">Environments</legend>
      <div class="flex flex-wrap gap-x-4 gap-y-1">
        {listed.map((environment) => (
          <label key={environment} class="flex min-w-0 items-center gap-1.5">
            <input
              type="checkbox"
              name={FIELDS.environment}
              value={environment}
              checked={chosen.includes(environment)}
              class="size-4 accent-accent-fill"
            />
            <bdi class="min-w-0 truncate">{environment}</bdi>
          </label>
        ))}
      </div>
      <p class="mt-1 text-sm text-muted">None chosen means all of them together.</p>
    </fieldset>
  );
}
