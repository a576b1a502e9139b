import { rich, t } from "@/lib/core/language/translate.ts";
import type { Project } from "@/lib/accounts/projects.ts";
import { Button, LinkButton } from "@/lib/ui/components/button.tsx";
import { CodeBlock } from "@/lib/ui/components/code_block.tsx";
import { ConfirmByName, Select } from "@/lib/ui/components/fields.tsx";
import { Page, PageHeader } from "@/lib/ui/components/page.tsx";
import { Alert, EmptyState, Panel } from "@/lib/ui/components/panel.tsx";
import { CursorPages } from "@/lib/ui/components/table.tsx";
import { ExactTime } from "@/lib/ui/components/values.tsx";
import { cronsPath, editCronPath, queryHref, sectionPath } from "@/lib/ui/links.ts";
import { ChoiceLinks } from "@/lib/ui/sorted_list.tsx";
import type { Shell } from "@/lib/ui/shell.ts";
import type { CursorPage } from "@/lib/store/query_limits.ts";
import type { Monitor } from "../monitors.ts";
import type { ProcessingError } from "../processing_errors.ts";
import type { Bar, Incident, StoredRun } from "../runs.ts";
import { scheduleWords } from "../schedule.ts";
import { EnvironmentTable } from "./environment_table.tsx";
import { ErrorTable } from "./error_table.tsx";
import { monitorHref } from "./parts.tsx";
import { PingPanel } from "./ping_panel.tsx";
import { IncidentTable, RunTable } from "./run_tables.tsx";

export interface CronView {
  readonly shell: Shell;
  readonly project: Project;
  readonly mayWrite: boolean;
  readonly monitor: Monitor;
  readonly runs: CursorPage<StoredRun>;
  /** Errors in the traces of the runs, by trace id. */
  readonly errorsByTrace: ReadonlyMap<string, number>;
  readonly incidents: readonly Incident[];
  readonly errors: readonly ProcessingError[];
  /** By environment. */
  readonly bars: ReadonlyMap<string, readonly Bar[]>;
  /** `""`: all. */
  readonly environment: string;
  /** The log that the address asks for. */
  readonly log: { readonly log: string; readonly startedAt: Date } | null;
  /** Null for those who may not make it: whoever knows it may report for the job. */
  readonly pingUrl: string | null;
  /** Of a server key. */
  readonly dsn: string;
  readonly deleteError: string | undefined;
}

/** One cron job: how it stands, its runs and incidents, how it reports, and what can be done. */
export function CronPage(view: CronView) {
  const { shell, project, monitor, mayWrite, incidents, errors } = view;
  return (
    <Page
      shell={shell}
      section="monitors"
      crumbs={[
        { label: project.name, href: sectionPath(project.id, "issues") },
        { label: t("Cron jobs"), href: cronsPath(project.id) },
        { label: monitor.name },
      ]}
    >
      <PageHeader
        title={<bdi>{monitor.name}</bdi>}
        description={<Facts monitor={monitor} />}
        actions={mayWrite && <Actions {...view} />}
      />
      <div class="space-y-4">
        <Notes {...view} />
        {view.log !== null && <LogPanel {...view.log} />}
        <EnvironmentTable {...view} />
        <Runs {...view} />
        {incidents.length > 0 && (
          <Panel title={t("Incidents")} id="incidents" flush>
            <IncidentTable projectId={project.id} incidents={incidents} />
          </Panel>
        )}
        {errors.length > 0 && (
          <Panel
            title={t("Problems with check-ins")}
            id="errors"
            description={t("Of the last week, the newest ten.")}
            flush
          >
            <ErrorTable errors={errors} />
          </Panel>
        )}
        <PingPanel {...view} />
        {mayWrite && <DeletePanel {...view} />}
      </div>
    </Page>
  );
}

function Facts({ monitor: { slug, config } }: { readonly monitor: Monitor }) {
  if (config === null) return <code>{slug}</code>;
  const { checkin_margin: margin, max_runtime: longest } = config;
  return (
    <>
      <code>{slug}</code> · {t("{schedule} · margin {margin} min · at most {longest} min", {
        schedule: scheduleWords(config),
        margin,
        longest,
      })}
    </>
  );
}

function Actions({ monitor, project }: CronView) {
  const { isActive, isMuted, slug } = monitor;
  return (
    <>
      {isActive && (
        <form method="post">
          <Button name="action" value={isMuted ? "unmute" : "mute"}>
            {isMuted ? t("Unmute") : t("Mute")}
          </Button>
        </form>
      )}
      <form method="post">
        <Button name="action" value={isActive ? "disable" : "enable"}>
          {isActive ? t("Turn off") : t("Turn on")}
        </Button>
      </form>
      <LinkButton kind="primary" href={editCronPath(project.id, slug)}>{t("Edit")}</LinkButton>
    </>
  );
}

function Notes({ monitor, mayWrite, project }: CronView) {
  const { isActive, isMuted, config, slug, environments } = monitor;
  return (
    <>
      {!isActive && (
        <Alert title={t("This cron job is off")}>
          {t("Its check-ins are not taken, and nothing is missed until somebody turns it on.")}
        </Alert>
      )}
      {isActive && isMuted && (
        <Alert title={t("This cron job is muted")}>
          {t("Runs are kept, and failures make no issues.")}
        </Alert>
      )}
      {isActive && config === null && (
        <Alert kind="warning" title={t("It has no schedule")}>
          {t("Failed runs are found; runs that do not begin or do not end are not.")} {mayWrite
            ? rich("<a>Set a schedule</a>, or send a monitor_config.", {
              a: (words) => <a class="link" href={editCronPath(project.id, slug)}>{words}</a>,
            })
            : t("Somebody who may change it can set a schedule, or send a monitor_config.")}
        </Alert>
      )}
      {isActive && config !== null && environments.length === 0 && (
        <Alert title={t("It waits for its first check-in")}>
          {t("From then on Watchpost expects it by its schedule.")}
        </Alert>
      )}
    </>
  );
}

function LogPanel({ log, startedAt }: { readonly log: string; readonly startedAt: Date }) {
  return (
    <Panel
      title={<>{rich("Log of the run of {time}", { time: <ExactTime date={startedAt} /> })}</>}
      id="log"
    >
      <CodeBlock id="log-text" label={t("Log")} code={log} maxHeight="lg" />
    </Panel>
  );
}

function Runs({ monitor, project, runs, environment, errorsByTrace }: CronView) {
  const path = monitorHref(monitor);
  const names = monitor.environments.map((state) => state.environment);
  const hrefOf = (params: readonly (readonly [string, string])[]) =>
    `${queryHref(path, params.filter(([, value]) => value !== ""))}#runs`;
  return (
    <Panel
      title={t("Runs")}
      id="runs"
      actions={names.length > 1 && (
        <ChoiceLinks
          label={t("Environments")}
          choices={["", ...names]}
          chosen={environment}
          hrefOf={(choice) => hrefOf([["environment", choice]])}
        />
      )}
      flush
    >
      {runs.rows.length === 0
        ? (
          <EmptyState icon="clock" title={t("No run yet")}>
            {t("Each check-in of the job becomes a run, and so does each that is missed.")}
          </EmptyState>
        )
        : (
          <>
            <RunTable
              projectId={project.id}
              runs={runs.rows}
              errorsByTrace={errorsByTrace}
              logHref={(id) => queryHref(path, [["run", id]]) + "#log"}
            />
            {(runs.nextCursor !== null || runs.previousCursor !== null) && (
              <CursorPages
                page={runs}
                label={t("Pages of runs")}
                hrefOf={(cursor) => hrefOf([["environment", environment], ["cursor", cursor]])}
              />
            )}
          </>
        )}
    </Panel>
  );
}

function DeletePanel({ monitor, deleteError }: CronView) {
  return (
    <Panel title={t("Delete")} danger>
      <div class="space-y-4">
        {monitor.environments.length > 1 && <DeleteEnvironment monitor={monitor} />}
        <ConfirmByName
          name={monitor.name}
          action={t("Delete cron job")}
          idPrefix="delete-"
          fields={{ action: "delete" }}
          error={deleteError}
          consequence={t(
            "It disappears with its runs and incidents; issues stay. A job that goes on reporting makes a new one.",
          )}
        />
      </div>
    </Panel>
  );
}

/** Of branches that are merged, and the like: each is missed for ever otherwise. */
function DeleteEnvironment({ monitor }: Pick<CronView, "monitor">) {
  return (
    <form method="post" class="flex max-w-md flex-wrap items-end gap-2">
      <div class="min-w-40 flex-1">
        <Select
          name="environment"
          label={t("An environment with its runs")}
          options={monitor.environments.map(({ environment }) => ({
            value: environment,
            label: environment,
          }))}
        />
      </div>
      <Button kind="danger" name="action" value="delete-environment">
        {t("Delete environment")}
      </Button>
    </form>
  );
}
