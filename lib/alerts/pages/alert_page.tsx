import type { Project } from "../../accounts/projects.ts";
import type { AlertState } from "../rule.ts";
import type { HistoryPage } from "../history.ts";
import type { StoredRule } from "../rules.ts";
import type { Channel } from "../channels/channels.ts";
import { Alert } from "../../ui/components/alert.tsx";
import { Button, LinkButton } from "../../ui/components/button.tsx";
import { ConfirmByName } from "../../ui/components/confirm_by_name.tsx";
import { ExactTime } from "../../ui/components/exact_time.tsx";
import { Page } from "../../ui/components/page.tsx";
import { PageHeader } from "../../ui/components/page_header.tsx";
import { Panel } from "../../ui/components/panel.tsx";
import { type Scope, scopedHref } from "../../ui/scope.ts";
import { sectionPath } from "../../ui/links.ts";
import type { Shell } from "../../ui/shell.ts";
import { ChartBox } from "../../ui/chart_box.tsx";
import { ChoiceLinks } from "../../ui/choice_links.tsx";
import { AlertChart, type AlertChartProps } from "./alert_chart.tsx";
import { AlertFacts } from "./alert_facts.tsx";
import { AlertState as StateOfAlert } from "./alert_table.tsx";
import { paramsOfInput } from "./form_params.ts";
import { HistoryTable } from "./history_table.tsx";
import { MuteMenu } from "./mute_menu.tsx";
import { alertPath, alertsPath, editAlertPath, newAlertPath } from "../../ui/paths.ts";
import { rangesFor } from "./ranges.ts";
import { StateTable } from "./state_table.tsx";
import { type AlertSummary, isMuted } from "../summary.ts";
import { sourceWords } from "../words.ts";

export interface AlertView {
  readonly shell: Shell;
  readonly project: Project;
  readonly mayWrite: boolean;
  readonly now: Date;
  readonly rule: StoredRule;
  readonly states: readonly AlertState[];
  readonly summary: AlertSummary;
  readonly history: HistoryPage;
  /** Its own. */
  readonly channels: readonly Channel[];
  readonly scope: Scope;
  /** Or why there is none. */
  readonly chart: Pick<AlertChartProps, "charted" | "bands"> | string;
  /** Beside the name typed to delete it. */
  readonly deleteError: string | undefined;
}

/** One alert: how it stands, the value over time, what happened, and what can be done. */
export function AlertPage(view: AlertView) {
  const { shell, project, mayWrite, rule, states, summary, now, scope, history } = view;
  const path = alertPath(project.id, rule.ruleId);
  return (
    <Page
      shell={shell}
      section="alerts"
      crumbs={[
        { label: project.name, href: sectionPath(project.id, "issues") },
        { label: "Alerts", href: alertsPath(project.id) },
        { label: rule.name },
      ]}
    >
      <PageHeader
        title={rule.name}
        description={<StateOfAlert rule={rule} summary={summary} now={now} />}
        actions={mayWrite && <Actions {...view} />}
      />
      <div class="space-y-4">
        <Notes {...view} />
        <div class="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_20rem]">
          <div class="min-w-0">
            <ChartBox>
              {typeof view.chart === "string"
                ? <Alert kind="warning" title="There is no chart">{view.chart}</Alert>
                : (
                  <AlertChart
                    {...view.chart}
                    id="value"
                    title={sourceWords(rule.source)}
                    input={rule}
                    zoomHref={path}
                  />
                )}
            </ChartBox>
            <ChoiceLinks
              label="Time"
              choices={rangesFor(rule.windowMinutes)}
              chosen={typeof scope.range === "string" ? scope.range : ""}
              hrefOf={(range) => `${path}?range=${range}`}
            />
          </div>
          <AlertFacts rule={rule} channels={view.channels} project={project} />
        </div>
        {states.length > 0 && (
          <Panel title="States" id="alert-states" flush>
            <StateTable rule={rule} states={states} />
          </Panel>
        )}
        <Panel title="History" id="alert-history" flush>
          <HistoryTable
            rule={rule}
            history={history}
            hrefOf={(cursor) => `${scopedHref(path, scope, { cursor })}#alert-history`}
          />
        </Panel>
        {mayWrite && <DeletePanel {...view} />}
      </div>
    </Page>
  );
}

function Actions({ project, rule, now }: AlertView) {
  const { isEnabled, ruleId } = rule;
  return (
    <>
      <form method="post">
        <Button name="action" value="test">Test</Button>
      </form>
      {isEnabled && <MuteMenu isMuted={isMuted(rule, now)} />}
      <form method="post">
        <Button name="action" value={isEnabled ? "disable" : "enable"}>
          {isEnabled ? "Turn off" : "Turn on"}
        </Button>
      </form>
      <LinkButton href={newAlertPath(project.id, duplicateParams(rule))}>Duplicate</LinkButton>
      <LinkButton kind="primary" href={editAlertPath(project.id, ruleId)}>Edit</LinkButton>
    </>
  );
}

/** The fields of a new alert like this one; its name is left to be made of what it watches then. */
function duplicateParams(rule: StoredRule): URLSearchParams {
  const params = paramsOfInput(rule);
  params.delete("name");
  return params;
}

/** Why nobody may be told, and what went wrong. */
function Notes({ rule, channels, now }: AlertView) {
  const { mutedUntil, isEnabled, lastError } = rule;
  return (
    <>
      {!isEnabled && (
        <Alert title="This alert is off">It is not evaluated until somebody turns it on.</Alert>
      )}
      {isEnabled && lastError !== "" && (
        <Alert kind="danger" title="It could not be evaluated the last time">
          {lastError} The states below are those from before; it is tried again every half minute.
        </Alert>
      )}
      {isEnabled && mutedUntil !== null && isMuted(rule, now) && (
        <Alert title="This alert is muted">
          Nobody is told until <ExactTime date={mutedUntil} />; states and history go on.
        </Alert>
      )}
      {isEnabled && channels.length === 0 && (
        <Alert kind="warning" title="Nobody is told">
          This alert has no channel: only its history is kept.
        </Alert>
      )}
    </>
  );
}

function DeletePanel({ rule, deleteError }: AlertView) {
  return (
    <Panel title="Delete this alert" danger>
      <ConfirmByName
        name={rule.name}
        action="Delete alert"
        idPrefix="delete-"
        fields={{ action: "delete" }}
        error={deleteError}
        consequence="The alert disappears with its states and its history. This cannot be undone."
      />
    </Panel>
  );
}
