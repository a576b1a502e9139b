import { QueryBuilder, type QueryForm } from "../../metrics/mod.ts";
import { ChoiceTiles, SuggestedField } from "../../ui/choice_fields.tsx";
import { Field, fieldId, type Option, Select } from "../../ui/components/fields.tsx";
import { Panel } from "../../ui/components/panel.tsx";
import type { Channel } from "../channels/channels.ts";
import { ChannelChoice, DayChoice } from "../choices.tsx";
import { ERROR_MEASURES, TRANSACTION_MEASURES } from "../measures.ts";
import { SOURCE_LABELS } from "../words.ts";
import { fieldOfForm, type FormFields } from "./form_params.ts";
import { type Message, t } from "../../core/language/translate.ts";

interface SourcePanelProps extends MetricSourceFieldsProps {
  /** To choose from. */
  readonly environments: readonly string[];
  readonly transactions: readonly string[];
}

/** What an alert watches: transactions, errors or a metric, in which environments. */
export function SourcePanel(props: SourcePanelProps) {
  const { params, errors, transactions } = props;
  return (
    <Panel title={t("What is watched")} id="alert-source">
      <div class="space-y-4">
        <ChoiceTiles
          name="source"
          legend={t("What is watched")}
          value={params.get("source") ?? "transactions"}
          tiles={[
            {
              value: "transactions",
              icon: "transactions",
              label: t(SOURCE_LABELS.transactions),
              help: t("How fast, how often, how well: p95, failures, Apdex, Web Vitals."),
            },
            {
              value: "errors",
              icon: "issues",
              label: t(SOURCE_LABELS.errors),
              help: t("How many errors or users, new issues, issues that came back, spikes."),
            },
            {
              value: "metric",
              icon: "metrics",
              label: t(SOURCE_LABELS.metric),
              help: t("Any query on metrics, with a state for each of its groups."),
            },
          ]}
        />
        <div data-for="transactions" class="grid items-start gap-4 md:grid-cols-[14rem_1fr]">
          <Select
            name="transactionMeasure"
            label={t("Measure")}
            value={params.get("transactionMeasure") ?? "p95"}
            error={errors.transactionMeasure}
            options={optionsOf(TRANSACTION_MEASURES)}
          />
          <SuggestedField
            {...fieldOfForm("transaction", props)}
            label={t("Transaction")}
            suggestions={transactions}
            placeholder={t("All transactions together")}
            help={t(
              "Its exact name, such as GET /cart; for Web Vitals that of the page. Empty for all.",
            )}
            maxLength={200}
            mono
          />
        </div>
        <div data-for="errors" class="grid items-start gap-4 md:grid-cols-[14rem_1fr]">
          <Select
            name="errorMeasure"
            label={t("Measure")}
            value={params.get("errorMeasure") ?? "events"}
            error={errors.errorMeasure}
            options={optionsOf(ERROR_MEASURES)}
          />
          <SuggestedField
            {...fieldOfForm("search", props)}
            label={t("Which issues")}
            placeholder={t("All issues")}
            help={t(
              "As in the search of issues: level:fatal, browser:Firefox*, !release:1.2. Empty for all.",
            )}
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

function optionsOf(measures: Readonly<Record<string, { readonly label: Message }>>): Option[] {
  return Object.entries(measures).map(([value, { label }]) => ({ value, label: t(label) }));
}

function EnvironmentField({ params, environments }: SourcePanelProps) {
  const chosen = params.getAll("environment");
  const listed = [...new Set([...chosen, ...environments])];
  if (listed.length === 0) return null;
  return (
    <fieldset>
      <legend class="mb-1 font-medium">{t("Environments")}</legend>
      <div class="flex flex-wrap gap-x-4 gap-y-1">
        {listed.map((environment) => (
          <label key={environment} class="flex min-w-0 items-center gap-1.5">
            <input
              type="checkbox"
              name="environment"
              value={environment}
              checked={chosen.includes(environment)}
              class="size-4 accent-accent-fill"
            />
            <bdi class="min-w-0 truncate">{environment}</bdi>
          </label>
        ))}
      </div>
      <p class="mt-1 text-sm text-muted">{t("None chosen means all of them together.")}</p>
    </fieldset>
  );
}

interface MetricSourceFieldsProps extends FormFields {
  readonly queries: QueryForm;
  /** Address that completes names, labels and values. */
  readonly completionsPath: string;
}

/** Queries and formulas, and which of them is judged. */
function MetricSourceFields(props: MetricSourceFieldsProps) {
  const { queries, params, errors, completionsPath } = props;
  const { drafts, formulaDrafts } = queries;
  const ids = [...drafts, ...formulaDrafts].map(({ id }) => id);
  // The reader takes the last formula when nobody chose; the form shows the same.
  const usual = formulaDrafts.at(-1)?.id ?? drafts[0]?.id ?? "a";
  const chosen = params.get("judged") ?? "";
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
            name="judged"
            label={t("Judged is")}
            value={ids.includes(chosen) ? chosen : usual}
            error={errors.judged}
            options={ids.map((id) => ({ value: id, label: `${id}` }))}
          />
        </div>
      )}
      <p class="text-sm text-muted">
        {t(
          "Each group of “Group by” has a state of its own; all of them are looked at, whatever “Top” says.",
        )}
      </p>
    </div>
  );
}

interface NoticePanelProps extends FormFields {
  readonly projectId: string;
  readonly channels: readonly Channel[];
  /** What it is called when nobody names it. */
  readonly suggestedName: string;
}

/** Who is told, when, and under which name. */
export function NoticePanel(props: NoticePanelProps) {
  return (
    <Panel title={t("Notifications")} id="alert-notices">
      <div class="space-y-4">
        <ChannelChoice
          projectId={props.projectId}
          channels={props.channels}
          params={props.params}
          error={props.errors.channel}
          emptyText={t("There are none yet: without one, only the history is kept.")}
        />
        <ScheduleField {...props} />
        <Field
          {...fieldOfForm("name", props)}
          label={t("Name of the alert")}
          placeholder={props.suggestedName}
          help={t("Stands in every notification. Empty for what it watches.")}
          maxLength={100}
          autocomplete="off"
          isOptional
        />
      </div>
    </Panel>
  );
}

function ScheduleField(props: NoticePanelProps) {
  const { params, errors } = props;
  return (
    <fieldset class="space-y-3">
      <legend class="sr-only">{t("Schedule")}</legend>
      <label class="flex items-start gap-2.5">
        <input
          type="checkbox"
          name="scheduled"
          checked={params.get("scheduled") === "on"}
          class="mt-1 size-4 shrink-0 accent-accent-fill"
        />
        <span>
          <span class="font-medium">{t("Only at certain times")}</span>
          <span class="block text-sm text-muted">
            {t("Outside them the states are kept, and no notifications are sent.")}
          </span>
        </span>
      </label>
      <div data-for="schedule" class="space-y-3 border-l-2 border-line pl-4">
        <DayChoice chosen={params.getAll("day")} error={errors.day} id={fieldId("day")} />
        <div class="grid max-w-xl items-start gap-4 sm:grid-cols-[8rem_8rem_1fr]">
          <SuggestedField
            {...fieldOfForm("from", props)}
            label={t("From")}
            type="time"
          />
          <SuggestedField
            {...fieldOfForm("to", props)}
            label={t("Until")}
            type="time"
          />
          <SuggestedField
            {...fieldOfForm("timeZone", props)}
            label={t("Time zone")}
            suggestions={TIME_ZONES}
            placeholder="Europe/Berlin"
            maxLength={64}
          />
        </div>
        <p class="text-sm text-muted">
          {t(
            "An end that is not after the beginning is one of the day after; 00:00 is the end of the day.",
          )}
        </p>
      </div>
    </fieldset>
  );
}

const TIME_ZONES: readonly string[] = ["UTC", ...Intl.supportedValuesOf("timeZone")];
