import { COLUMNS, MEASURES, PANEL_VIEWS, type PanelView } from "../content.ts";
import { LIMITS } from "../limits.ts";
import { Field } from "../../ui/components/field.tsx";
import { Panel as Box } from "../../ui/components/panel.tsx";
import { Select } from "../../ui/components/select.tsx";
import { formatBucket } from "../../ui/charts/value_format.ts";
import { metricCompletionsPath } from "../../metrics/paths.ts";
import { QueryBuilder } from "../../metrics/query_form/query_builder.tsx";
import { MEASURE_WORDS } from "../panels/measures.ts";
import type { PanelFormView } from "./panel_form_page.tsx";
import { SuggestedField } from "./suggested_field.tsx";

/** What a panel shows, how it is called, and how large it is. */
export function PanelFields(view: PanelFormView) {
  const { draft, errors } = view;
  return (
    <>
      <Box title="What it shows">
        <Source {...view} />
      </Box>
      <Box title="The panel">
        <div class="grid gap-4 sm:grid-cols-4">
          <div class="sm:col-span-2">
            <Field
              name="title"
              label="Title"
              value={draft.title}
              error={errors.title}
              maxLength={LIMITS.title}
              help={draft.kind === "text" ? "None is fine." : "Without one, it says what it shows."}
              isOptional
            />
          </div>
          <Select
            name="w"
            label="Width"
            value={String(draft.w)}
            options={numbers(COLUMNS, (w) => `${w} of ${COLUMNS} columns`)}
          />
          <Select
            name="h"
            label="Height"
            value={String(draft.h)}
            options={numbers(LIMITS.height, (h) => h === 1 ? "1 row" : `${h} rows`)}
          />
        </div>
      </Box>
    </>
  );
}

function Source(view: PanelFormView) {
  const { draft, errors, transactions } = view;
  switch (draft.kind) {
    case "metrics":
      return <Metrics {...view} />;
    case "errors":
      return (
        <Field
          name="search"
          label="Search"
          type="search"
          value={draft.search}
          error={errors.search}
          placeholder="level:fatal browser:Firefox"
          help="As in the search of the issues. Without one, all errors are counted."
          maxLength={LIMITS.search}
          isOptional
          mono
        />
      );
    case "transactions":
      return (
        <div class="grid gap-4 sm:grid-cols-2">
          <Select
            name="measure"
            label="Measure"
            value={draft.measure}
            options={MEASURES.map((value) => ({ value, label: MEASURE_WORDS[value] }))}
          />
          <SuggestedField
            name="transaction"
            label="Transaction"
            value={draft.transaction}
            suggestions={transactions}
            help="Without one, all transactions count."
            maxLength={LIMITS.transaction}
          />
        </div>
      );
    case "text":
      return (
        <Field
          name="markdown"
          label="Text"
          value={draft.markdown}
          error={errors.markdown}
          rows={10}
          help="Markdown: # headings, **bold**, - lists, [links](https://example.org), `code`. HTML is shown as it is written."
          mono
        />
      );
  }
}

const VIEW_WORDS: Readonly<Record<PanelView, string>> = {
  line: "Lines",
  area: "Areas",
  bars: "Bars",
  table: "Table",
  value: "Single values",
  heatmap: "Heat map of a histogram",
};
/** In seconds. */
const STEPS = [10, 60, 300, 900, 3_600, 21_600, 86_400];

function Metrics({ draft: { queryForm }, tracing, dashboard }: PanelFormView) {
  if (queryForm === null) return null;
  const { view, stepMs, comparesPrevious, hidden, drafts, formulaDrafts } = queryForm;
  const { variables } = dashboard.content;
  const steps = STEPS.includes((stepMs ?? 0) / 1000) || stepMs === null
    ? STEPS
    : [...STEPS, stepMs / 1000].sort((a, b) => a - b);
  return (
    <div class="space-y-4">
      <QueryBuilder
        form={queryForm}
        completionsPath={metricCompletionsPath(tracing.project.id)}
        usualButton={{ name: "preview", value: "1" }}
      />
      {variables.length > 0 && (
        <p class="text-sm text-muted">
          Filters may name a variable of the dashboard, as {variables.map(({ label }, index) => (
            <>
              {index > 0 && ", "}
              <code key={label}>{`${label}="$${label}"`}</code>
            </>
          ))}.
        </p>
      )}
      <div class="grid gap-4 sm:grid-cols-2">
        <Select
          name="view"
          label="Drawn as"
          value={view}
          options={PANEL_VIEWS.map((value) => ({ value, label: VIEW_WORDS[value] }))}
        />
        <Select
          name="step"
          label="A point for every"
          value={stepMs === null ? "" : String(stepMs / 1000)}
          options={[
            { value: "", label: "Automatic" },
            ...steps.map((value) => ({
              value: String(value),
              label: formatBucket(value * 1000),
            })),
          ]}
        />
      </div>
      <Hidden ids={[...drafts, ...formulaDrafts].map(({ id }) => id)} hidden={hidden} />
      <label class="flex items-start gap-2.5">
        <input
          type="checkbox"
          name="compare"
          value="1"
          checked={comparesPrevious}
          class="mt-1 size-4 shrink-0 accent-accent-fill"
        />
        <span class="font-medium">Compare with the time before</span>
      </label>
    </div>
  );
}

/** What formulas alone need must not be drawn. */
function Hidden({ ids, hidden }: { ids: readonly string[]; hidden: readonly string[] }) {
  if (ids.length < 2) return null;
  return (
    <fieldset class="flex flex-wrap items-center gap-x-4 gap-y-1">
      <legend class="mb-1 font-medium">Not drawn</legend>
      {ids.map((id) => (
        <label key={id} class="flex items-center gap-1.5">
          <input
            type="checkbox"
            name="hide"
            value={id}
            checked={hidden.includes(id)}
            class="size-4 shrink-0 accent-accent-fill"
          />
          <code>{id}</code>
        </label>
      ))}
    </fieldset>
  );
}

function numbers(most: number, words: (number: number) => string) {
  return Array.from({ length: most }, (_, index) => ({
    value: String(index + 1),
    label: words(index + 1),
  }));
}
