import type { Project } from "../../accounts/projects.ts";
import { environmentsOf, transactionNames } from "../../store/stats/series_names.ts";
import { metricCompletionsPath } from "../../metrics/mod.ts";
import type { Backend } from "../../store/stores.ts";
import { Alert, Panel } from "../../ui/components/panel.tsx";
import { Button, LinkButton } from "../../ui/components/button.tsx";
import { Field, FormSummary, type Option, Select } from "../../ui/components/fields.tsx";
import { Page, PageHeader } from "../../ui/components/page.tsx";
import { alertPath, alertsPath, sectionPath } from "../../ui/links.ts";
import type { Shell } from "../../ui/shell.ts";
import { type Channel, listChannels } from "../channels/channels.ts";
import type { StoredRule } from "../rules.ts";
import type { ValueKind } from "../measures.ts";
import {
  COMPARISON_LABELS,
  minuteWords,
  NO_DATA_LABELS,
  suggestedName,
  valueKindOf,
} from "../words.ts";
import { fieldOfForm, type FormFields, levelHelp } from "./form_params.ts";
import { NoticePanel, SourcePanel } from "./form_panels.tsx";
import { AlertChart, type FormPreview, previewForm } from "./preview.tsx";
import type { ReadForm } from "./read_form.ts";
import { t } from "../../core/language/translate.ts";

export interface AlertFormView
  extends Pick<ReadForm, "params" | "queries" | "errors" | "source" | "input"> {
  readonly shell: Shell;
  readonly project: Project;
  /** The alert that is changed; null for a new one. */
  readonly rule: StoredRule | null;
  readonly preview: FormPreview | null;
  readonly channels: readonly Channel[];
  readonly environments: readonly string[];
  readonly transactions: readonly string[];
  readonly completionsPath: string;
}

/** The form for a new alert, or to change one, with a preview of what it would have done. */
export function AlertFormPage(view: AlertFormView) {
  const { shell, project, rule } = view;
  const title = rule === null ? t("New alert") : t("Edit {name}", { name: rule.name });
  const own = rule === null ? [] : [{ label: rule.name, href: alertPath(project.id, rule.ruleId) }];
  return (
    <Page
      shell={shell}
      section="alerts"
      crumbs={[
        { label: project.name, href: sectionPath(project.id, "issues") },
        { label: t("Alerts"), href: alertsPath(project.id) },
        ...own,
        { label: rule === null ? t("New alert") : t("Edit") },
      ]}
    >
      <div class="max-w-5xl">
        <PageHeader title={title} />
        <AlertForm {...view} />
      </div>
    </Page>
  );
}

function AlertForm(view: AlertFormView) {
  const { project, rule, params, errors, source, input } = view;
  const back = rule === null ? alertsPath(project.id) : alertPath(project.id, rule.ruleId);
  return (
    <form method="post" class="alert-form space-y-4" autocomplete="off">
      {/* Enter in a field previews: it must neither save nor take a query away. */}
      <button
        type="submit"
        name="action"
        value="preview"
        class="sr-only"
        tabindex={-1}
        aria-hidden="true"
      >
        {t("Preview")}
      </button>
      <FormSummary errors={errors} />
      <SourcePanel {...view} />
      <ConditionPanel
        params={params}
        errors={errors}
        valueKind={source === null ? null : valueKindOf(source)}
      />
      <PreviewPanel preview={view.preview} />
      <NoticePanel
        projectId={project.id}
        params={params}
        errors={errors}
        channels={view.channels}
        suggestedName={input === null ? "" : suggestedName(input)}
      />
      <div class="flex flex-wrap gap-2">
        <Button kind="primary" name="action" value="save">
          {rule === null ? t("Create alert") : t("Save")}
        </Button>
        <Button name="action" value="preview" formaction={`#${PREVIEW_ID}`}>{t("Preview")}</Button>
        <LinkButton kind="plain" href={back}>{t("Cancel")}</LinkButton>
      </div>
    </form>
  );
}

const WINDOWS = [1, 2, 5, 10, 15, 30, 60, 120, 240, 360, 720, 1_440];
const HOLDS = [0, 1, 2, 3, 5, 10, 15, 30, 60, 120];

interface ConditionPanelProps extends FormFields {
  /** Of the source that was chosen when the page was made; null while none is. */
  readonly valueKind: ValueKind | null;
}

/** When it fires: comparison and levels, over which time, for how long, and what silence means. */
function ConditionPanel({ valueKind, ...form }: ConditionPanelProps) {
  const field = (name: string) => fieldOfForm(name, form);
  return (
    <Panel title={t("When it fires")} id="alert-condition">
      <div class="space-y-4">
        <div data-for="levels" class="space-y-1">
          <div class="level-fields grid gap-4 sm:grid-cols-2 sm:gap-y-0 lg:grid-cols-4">
            <Select
              {...field("comparison")}
              label={t("The value is")}
              options={Object.entries(COMPARISON_LABELS).map(([value, label]) => ({
                value,
                label: `${t(label)} (${value})`,
              }))}
            />
            <Field
              {...field("critical")}
              label={t("Critical level")}
              autocomplete="off"
            />
            <Field
              {...field("warning")}
              label={t("Warning level")}
              isOptional
              autocomplete="off"
            />
            <Field
              {...field("recovery")}
              label={t("Recovery level")}
              isOptional
              autocomplete="off"
            />
          </div>
          <p class="text-sm text-muted">
            {valueKind !== null &&
              `${t("Levels: {unit}", { unit: lowerFirst(levelHelp(valueKind)) })} `}
            {t(
              "Without a recovery level it is over once the value is back on the good side of the lower level.",
            )}
          </p>
        </div>
        <div class="grid items-start gap-4 sm:grid-cols-3">
          <Select
            {...field("window")}
            label={t("Over the last")}
            help={t("What one value is taken over.")}
            options={minuteOptions(WINDOWS, field("window").value)}
          />
          <div data-for="levels">
            <Select
              {...field("for")}
              label={t("And has been for")}
              help={t("It is pending until then.")}
              options={minuteOptions(HOLDS, field("for").value)}
            />
          </div>
          <div data-for="levels">
            <Select
              {...field("noData")}
              label={t("A window without data")}
              options={Object.entries(NO_DATA_LABELS).map(([value, label]) => ({
                value,
                label: t(label),
              }))}
            />
          </div>
        </div>
      </div>
    </Panel>
  );
}

/** The usual times, and the one that is chosen where it is none of them. */
function minuteOptions(usual: readonly number[], chosen: string): Option[] {
  const own = /^\d{1,5}$/.test(chosen) ? [Number(chosen)] : [];
  return [...new Set([...usual, ...own])].sort((a, b) => a - b).map((minutes) => ({
    value: String(minutes),
    label: minutes === 0 ? t("no time: at once") : minuteWords(minutes),
  }));
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

const PREVIEW_ID = "alert-preview";

interface PreviewPanelProps {
  /** Null while there is nothing whole enough to look at. */
  readonly preview: FormPreview | null;
}

/** What the alert of a form would have seen and done lately. */
function PreviewPanel({ preview }: PreviewPanelProps) {
  return (
    <Panel
      title={t("Preview")}
      id={PREVIEW_ID}
      actions={
        <Button
          size="sm"
          icon="refresh"
          name="action"
          value="preview"
          formaction={`#${PREVIEW_ID}`}
        >
          {t("Preview")}
        </Button>
      }
    >
      <Preview preview={preview} />
    </Panel>
  );
}

function Preview({ preview }: PreviewPanelProps) {
  if (preview === null) {
    return (
      <p class="text-muted">
        {t(
          "Choose what is watched and press Preview: the values of the last day show which levels make sense, and when this alert would have fired.",
        )}
      </p>
    );
  }
  if (!preview.ok) {
    return <Alert kind="warning" title={t("There is no preview")}>{preview.reason}</Alert>;
  }
  const { charted, input, bands, words } = preview;
  return (
    <>
      <AlertChart
        id="preview"
        title={preview.title}
        input={input}
        charted={charted}
        bands={bands}
      />
      <p class="mt-2 text-sm text-muted">{words}</p>
    </>
  );
}

type LoadedForm = Omit<AlertFormView, "shell" | "project">;

/**
 * What the page of the alert form shows.
 *
 * @param rule the alert that is changed; null for a new one
 * @param showsErrors false as long as nobody has had a chance to fill the form in
 */
export async function loadAlertForm(
  services: Pick<Backend, "sql" | "kv" | "log">,
  project: Project,
  form: ReadForm,
  rule: StoredRule | null,
  showsErrors: boolean,
): Promise<LoadedForm> {
  const { sql } = services;
  const [channels, environments, transactions, preview] = await Promise.all([
    listChannels(sql, project.id),
    environmentsOf(sql, project.id),
    transactionNames(sql, project.id),
    previewForm(services, project, form),
  ]);
  return {
    rule,
    ...form,
    errors: showsErrors ? form.errors : {},
    preview,
    channels,
    environments,
    transactions,
    completionsPath: metricCompletionsPath(project.id),
  };
}
