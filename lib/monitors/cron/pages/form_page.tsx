import { currentLanguage, type Message, message, t } from "@/lib/core/language/translate.ts";
import type { Project } from "@/lib/accounts/projects.ts";
import { Button, LinkButton } from "@/lib/ui/components/button.tsx";
import { Field, type FormErrors, FormSummary, Select } from "@/lib/ui/components/fields.tsx";
import { Page, PageHeader } from "@/lib/ui/components/page.tsx";
import { Alert, Panel } from "@/lib/ui/components/panel.tsx";
import { ChoiceTiles, SuggestedField } from "@/lib/ui/choice_fields.tsx";
import { formatDateTime } from "@/lib/ui/format.ts";
import { cronsPath, sectionPath } from "@/lib/ui/links.ts";
import type { Shell } from "@/lib/ui/shell.ts";
import type { MonitorConfig } from "../config.ts";
import type { Monitor } from "../monitors.ts";
import { daylightWarning, INTERVAL_UNITS, type IntervalUnit, nextTimes } from "../schedule.ts";
import { configOfValues, type FormValues } from "./form_fields.ts";
import { monitorHref } from "./parts.tsx";

export interface CronFormView {
  readonly shell: Shell;
  readonly project: Project;
  /** The one that is changed; null for a new one. */
  readonly monitor: Monitor | null;
  readonly values: FormValues;
  readonly errors: FormErrors;
  readonly now: Date;
}

/** The form for a new cron job, or to change one, with the times at which it is expected. */
export function CronFormPage(view: CronFormView) {
  const { shell, project, monitor, values, errors, now } = view;
  const title = monitor === null ? t("New cron job") : t("Edit {name}", { name: monitor.name });
  const own = monitor === null ? [] : [{ label: monitor.name, href: monitorHref(monitor) }];
  const { config } = configOfValues(values);
  return (
    <Page
      shell={shell}
      section="monitors"
      width="narrow"
      crumbs={[
        { label: project.name, href: sectionPath(project.id, "issues") },
        { label: t("Cron jobs"), href: cronsPath(project.id) },
        ...own,
        { label: monitor === null ? t("New cron job") : t("Edit") },
      ]}
    >
      <PageHeader title={title} />
      <form method="post" class="cron-form space-y-4">
        <FormSummary errors={errors} />
        <NamePanel {...view} />
        <SchedulePanel {...view} />
        {config !== null && <Preview config={config} now={now} />}
        <LimitsPanel {...view} />
        <div class="flex flex-wrap gap-2">
          <Button kind="primary" name="action" value="save">
            {monitor === null ? t("Create cron job") : t("Save")}
          </Button>
          <LinkButton href={monitor === null ? cronsPath(project.id) : monitorHref(monitor)}>
            {t("Cancel")}
          </LinkButton>
        </div>
      </form>
    </Page>
  );
}

function NamePanel({ monitor, values, errors }: CronFormView) {
  return (
    <Panel title={t("Name")} id="name">
      <div class="grid gap-4 sm:grid-cols-2">
        <Field
          name="name"
          label={t("Name")}
          value={values.name}
          error={errors.name}
          help={t("For people.")}
          maxLength={128}
        />
        {monitor === null
          ? (
            <Field
              name="slug"
              label={t("Slug")}
              value={values.slug}
              error={errors.slug}
              help={t("What the job reports as. It cannot be changed later.")}
              placeholder={t("made of the name")}
              maxLength={50}
              mono
              isOptional
            />
          )
          : (
            <div>
              <p class="mb-1 font-medium">{t("Slug")}</p>
              <p class="py-2 font-mono text-sm">{monitor.slug}</p>
            </div>
          )}
      </div>
    </Panel>
  );
}

/** Of an interval, without script one sees both: the chosen kind counts. */
function SchedulePanel({ values, errors }: CronFormView) {
  return (
    <Panel title={t("Schedule")} id="schedule">
      <div class="space-y-4">
        <ChoiceTiles
          name="schedule_type"
          legend={t("Kind of schedule")}
          value={values.schedule_type}
          tiles={[
            {
              value: "crontab",
              icon: "clock",
              label: t("Crontab"),
              help: t("At fixed times, as cron has them."),
            },
            {
              value: "interval",
              icon: "refresh",
              label: t("Interval"),
              help: t("So long after the last check-in."),
            },
          ]}
        />
        <div data-for="crontab">
          <Field
            name="crontab"
            label={t("Crontab")}
            value={values.crontab}
            error={errors.crontab}
            help={t(
              "Minute, hour, day of the month, month, day of the week; or @hourly, @daily, @weekly, @monthly, @yearly.",
            )}
            placeholder="30 4 * * *"
            maxLength={256}
            autocomplete="off"
            mono
          />
        </div>
        <div data-for="interval" class="grid grid-cols-2 gap-4">
          <Field
            name="count"
            label={t("Every")}
            type="number"
            value={values.count}
            error={errors.count}
          />
          <Select
            name="unit"
            label={t("Unit")}
            value={values.unit}
            options={INTERVAL_UNITS.map((unit) => ({
              value: unit,
              label: t(INTERVAL_NAMES[unit]),
            }))}
          />
        </div>
        <SuggestedField
          name="timezone"
          label={t("Time zone")}
          value={values.timezone}
          suggestions={ZONES}
          error={errors.timezone}
          help={t("Where the clock of the job stands, as Europe/Berlin or UTC.")}
          maxLength={60}
        />
        <Button name="action" value="preview" icon="clock">{t("Show the next times")}</Button>
      </div>
    </Panel>
  );
}

const ZONES: readonly string[] = ["UTC", ...Intl.supportedValuesOf("timeZone")];
const PREVIEWED = 3;

/** When the job is expected next, in its own zone and in the reader's. */
function Preview({ config, now }: { readonly config: MonitorConfig; readonly now: Date }) {
  const times = nextTimes(config, now, PREVIEWED);
  const warning = daylightWarning(config, now);
  return (
    <Panel
      title={t("Next expected")}
      id="preview"
      description={config.schedule_type === "interval"
        ? t("If a check-in came right now and at each of these times.")
        : undefined}
    >
      <ol class="space-y-1 tabular-nums">
        {times.map((time) => (
          <li key={time.getTime()} class="flex flex-wrap gap-x-3">
            <span class="font-medium">{inZone(time, config.timezone)}</span>
            <time class="text-muted" datetime={time.toISOString()} data-local="">
              {formatDateTime(time)}
            </time>
          </li>
        ))}
      </ol>
      {warning !== null && (
        <Alert kind="warning" title={t("Mind the nights when clocks change")} class="mt-3">
          {warning}
        </Alert>
      )}
    </Panel>
  );
}

/** `Sun 2026-03-29 03:00 Europe/Berlin`. */
function inZone(time: Date, timeZone: string): string {
  const day = new Intl.DateTimeFormat(currentLanguage(), { timeZone, weekday: "short" }).format(
    time,
  );
  const date = new Intl.DateTimeFormat("sv-SE", {
    timeZone,
    dateStyle: "short",
    timeStyle: "short",
  }).format(time);
  return `${day} ${date} ${timeZone}`;
}

function LimitsPanel({ values, errors }: CronFormView) {
  const number = (
    name: "checkin_margin" | "max_runtime" | Threshold,
    label: string,
    help: string,
  ) => (
    <Field
      name={name}
      label={label}
      type="number"
      value={values[name]}
      error={errors[name]}
      help={help}
    />
  );
  return (
    <Panel title={t("When it counts as failed")} id="limits">
      <div class="grid gap-4 sm:grid-cols-2">
        {number("checkin_margin", t("Margin, in minutes"), t("A run that begins later is missed."))}
        {number(
          "max_runtime",
          t("Longest run, in minutes"),
          t("A run that takes longer has timed out."),
        )}
        {number(
          "failure_issue_threshold",
          t("Failed runs in a row"),
          t("So many open an incident with its issue."),
        )}
        {number(
          "recovery_threshold",
          t("Good runs in a row"),
          t("So many end it and resolve the issue."),
        )}
      </div>
    </Panel>
  );
}

const INTERVAL_NAMES: Readonly<Record<IntervalUnit, Message>> = {
  minute: message("minutes"),
  hour: message("hours"),
  day: message("days"),
  week: message("weeks"),
  month: message("months"),
  year: message("years"),
};

type Threshold = "failure_issue_threshold" | "recovery_threshold";
