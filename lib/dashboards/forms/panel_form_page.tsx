import { type Message, rich, t } from "../../core/language/translate.ts";
import { metricCompletionsPath, QueryBuilder } from "../../metrics/mod.ts";
import { type PageScope, selectionOf } from "../../releases/request_scope.ts";
import { readStats } from "../../store/stats/read_stats.ts";
import { formatBucket } from "../../ui/charts/chart_data.ts";
import { Button, LinkButton } from "../../ui/components/button.tsx";
import {
  CONTROL_LOOK,
  describedBy,
  Field,
  FieldFrame,
  fieldId,
  type FormErrors,
  FormSummary,
  Select,
} from "../../ui/components/fields.tsx";
import { classes } from "../../ui/components/icon.tsx";
import { Alert, Panel as Box } from "../../ui/components/panel.tsx";
import { scopedHref } from "../../ui/scope.ts";
import type { Shell } from "../../ui/shell.ts";
import {
  COLUMNS,
  LIMITS,
  MEASURES,
  type Panel,
  PANEL_VIEWS,
  type PanelView as PanelViewName,
  readChoices,
} from "../content.ts";
import { DashboardFrame, dashboardPath } from "../dashboard_frame.tsx";
import type { Dashboard } from "../dashboards.ts";
import { loadPanel, type PanelServices } from "../load_dashboard.ts";
import { MEASURE_WORDS, type PanelData, panelTitle } from "../panels/panel_data.ts";
import { PanelView } from "../panels/panel_view.tsx";
import { type PanelDraft, panelOf } from "./read_form.ts";

export interface PanelFormView {
  readonly shell: Shell;
  readonly pageScope: PageScope;
  readonly dashboard: Pick<Dashboard, "dashboardId" | "name" | "version" | "content">;
  readonly isNew: boolean;
  readonly draft: PanelDraft;
  readonly errors: FormErrors;
  /** Somebody saved the dashboard in the meantime: a sentence. */
  readonly conflict: string | null;
  /** The panel as it would be, where it can be. */
  readonly preview: { readonly panel: Panel; readonly data: PanelData } | null;
  /** Transactions to choose from. */
  readonly transactions: readonly string[];
}

const ADD_WORDS: Readonly<Record<PanelDraft["kind"], Message>> = {
  metrics: "Add metrics",
  errors: "Add errors",
  transactions: "Add transactions",
  text: "Add text",
};

/** The form of one panel with a preview. */
export function PanelFormPage(view: PanelFormView) {
  const { shell, pageScope, dashboard, isNew, draft, errors, conflict } = view;
  const { project, scope } = pageScope;
  const back = scopedHref(dashboardPath(project.id, dashboard.dashboardId), scope, { edit: "1" });
  const title = t(isNew ? ADD_WORDS[draft.kind] : "Edit the panel");
  return (
    <DashboardFrame
      shell={shell}
      pageScope={pageScope}
      title={title}
      crumbs={[{ label: dashboard.name, href: back }, { label: title }]}
    >
      <form method="post" class="space-y-4">
        <input type="hidden" name="version" value={dashboard.version} />
        <input type="hidden" name="kind" value={draft.kind} />
        {conflict !== null && (
          <Alert kind="warning">
            {conflict} {rich(
              "What you entered is still here, and what they changed elsewhere stays. Look at <a>the dashboard as it is now</a> or press Save again.",
              { a: (words) => <a class="link" href={back} target="_blank">{words}</a> },
            )}
          </Alert>
        )}
        <FormSummary errors={errors} />
        <PanelFields {...view} />
        <div class="flex flex-wrap gap-2">
          <Button kind="primary" name="save" value="1">{t("Save")}</Button>
          <Button name="preview" value="1">{t("Preview")}</Button>
          <LinkButton kind="plain" href={back}>{t("Cancel")}</LinkButton>
        </div>
      </form>
      <Preview {...view} />
    </DashboardFrame>
  );
}

function Preview({ pageScope, preview, dashboard }: PanelFormView) {
  if (preview === null) return null;
  const { panel, data } = preview;
  return (
    <div class="mt-6">
      <Box title={panelTitle(panel)} description={t("As it would look.")}>
        <div class="dash-preview">
          <PanelView
            panel={panel}
            data={data}
            pageScope={pageScope}
            path={dashboardPath(pageScope.project.id, dashboard.dashboardId)}
            keep={{}}
          />
        </div>
      </Box>
    </div>
  );
}

/** What a panel shows, how it is called, and how large it is. */
function PanelFields(view: PanelFormView) {
  const { draft, errors } = view;
  return (
    <>
      <Box title={t("What it shows")}>
        <Source {...view} />
      </Box>
      <Box title={t("The panel")}>
        <div class="grid gap-4 sm:grid-cols-4">
          <div class="sm:col-span-2">
            <Field
              name="title"
              label={t("Title")}
              value={draft.title}
              error={errors.title}
              maxLength={LIMITS.title}
              help={draft.kind === "text"
                ? t("None is fine.")
                : t("Without one, it says what it shows.")}
              isOptional
            />
          </div>
          <Select
            name="w"
            label={t("Width")}
            value={String(draft.w)}
            options={numbers(COLUMNS, (w) =>
              t("{n} of {columns} columns", { n: w, columns: COLUMNS }))}
          />
          <Select
            name="h"
            label={t("Height")}
            value={String(draft.h)}
            options={numbers(LIMITS.height, (h) =>
              t("{n} row|{n} rows", { n: h }))}
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
          label={t("Search")}
          type="search"
          value={draft.search}
          error={errors.search}
          placeholder={t("level:fatal browser:Firefox")}
          help={t("As in the search of the issues. Without one, all errors are counted.")}
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
            label={t("Measure")}
            value={draft.measure}
            options={MEASURES.map((value) => ({ value, label: t(MEASURE_WORDS[value]) }))}
          />
          <TransactionField value={draft.transaction} suggestions={transactions} />
        </div>
      );
    case "text":
      return (
        <Field
          name="markdown"
          label={t("Text")}
          value={draft.markdown}
          error={errors.markdown}
          rows={10}
          help={t(
            "Markdown: # headings, **bold**, - lists, [links](https://example.org), `code`. HTML is shown as it is written.",
          )}
          mono
        />
      );
  }
}

const VIEW_WORDS: Readonly<Record<PanelViewName, Message>> = {
  line: "Lines@@chart",
  area: "Areas",
  bars: "Bars",
  table: "Table",
  value: "Single values",
  heatmap: "Heat map of a histogram",
};
/** In seconds. */
const STEPS = [10, 60, 300, 900, 3_600, 21_600, 86_400];

function Metrics({ draft: { queryForm }, pageScope, dashboard }: PanelFormView) {
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
        completionsPath={metricCompletionsPath(pageScope.project.id)}
        usualButton={{ name: "preview", value: "1" }}
      />
      {variables.length > 0 && (
        <p class="text-sm text-muted">
          {rich("Filters may name a variable of the dashboard, as {examples}.", {
            examples: variables.map(({ label }, index) => (
              <>
                {index > 0 && ", "}
                <code key={label}>{`${label}="$${label}"`}</code>
              </>
            )),
          })}
        </p>
      )}
      <div class="grid gap-4 sm:grid-cols-2">
        <Select
          name="view"
          label={t("Drawn as")}
          value={view}
          options={PANEL_VIEWS.map((value) => ({ value, label: t(VIEW_WORDS[value]) }))}
        />
        <Select
          name="step"
          label={t("A point for every")}
          value={stepMs === null ? "" : String(stepMs / 1000)}
          options={[
            { value: "", label: t("Automatic") },
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
        <span class="font-medium">{t("Compare with the time before")}</span>
      </label>
    </div>
  );
}

/** What formulas alone need must not be drawn. */
function Hidden({ ids, hidden }: { ids: readonly string[]; hidden: readonly string[] }) {
  if (ids.length < 2) return null;
  return (
    <fieldset class="flex flex-wrap items-center gap-x-4 gap-y-1">
      <legend class="mb-1 font-medium">{t("Not drawn")}</legend>
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

/** Names that need not be among those that are suggested. */
function TransactionField(
  { value, suggestions }: { readonly value: string; readonly suggestions: readonly string[] },
) {
  const id = fieldId("transaction");
  const listId = `${id}-suggestions`;
  const help = t("Without one, all transactions count.");
  return (
    <FieldFrame id={id} label={t("Transaction")} help={help} isOptional>
      <input
        id={id}
        name="transaction"
        value={value}
        list={listId}
        maxLength={LIMITS.transaction}
        autocomplete="off"
        {...describedBy(id, help, undefined)}
        class={classes(CONTROL_LOOK, "h-9")}
      />
      <datalist id={listId}>
        {suggestions.map((suggestion) => <option key={suggestion} value={suggestion} />)}
      </datalist>
    </FieldFrame>
  );
}

/** Transactions that are offered. */
const SUGGESTED = 100;

interface PanelFormLoading {
  readonly shell: Shell;
  readonly pageScope: PageScope;
  readonly dashboard: Dashboard;
  /** Null: a new one. */
  readonly panelId: string | null;
  readonly draft: PanelDraft;
  /** That the form is about. @default the dashboard's */
  readonly version?: number;
  readonly errors?: FormErrors;
  readonly conflict?: string | null;
}

/** What the form of a panel shows, with a preview where the draft makes a panel. */
export async function loadPanelForm(
  services: PanelServices,
  loading: PanelFormLoading,
): Promise<PanelFormView> {
  const { shell, pageScope, dashboard, panelId, draft, errors = {}, conflict = null } = loading;
  const { content } = dashboard;
  const drafted = panelOf(draft, content.panels, panelId);
  const choices = readChoices(content.variables, new URLSearchParams());
  const [data, transactions] = await Promise.all([
    "panel" in drafted ? loadPanel(services, pageScope, drafted.panel, choices) : null,
    draft.kind === "transactions" ? transactionNames(services, pageScope) : [],
  ]);
  return {
    shell,
    pageScope,
    dashboard: { ...dashboard, version: loading.version ?? dashboard.version },
    isNew: panelId === null,
    draft,
    errors,
    conflict,
    preview: "panel" in drafted && data !== null ? { panel: drafted.panel, data } : null,
    transactions,
  };
}

async function transactionNames({ sql }: PanelServices, pageScope: PageScope): Promise<string[]> {
  const selection = selectionOf(pageScope, "transaction");
  const stats = await readStats(sql, selection, ["name"], ["sketch", "users"]);
  return stats.slice(0, SUGGESTED).map(({ name }) => name);
}
