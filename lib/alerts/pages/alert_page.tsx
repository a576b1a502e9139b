import type { ComponentChildren } from "preact";
import type { Project } from "../../accounts/projects.ts";
import type { Backend } from "../../store/stores.ts";
import { deployMarkers } from "../../releases/mod.ts";
import { ChartBox } from "../../ui/scoped_page.tsx";
import { ChoiceLinks } from "../../ui/sorted_list.tsx";
import { Alert, Panel } from "../../ui/components/panel.tsx";
import { Button, LinkButton, Menu, MENU_ITEM_LOOK } from "../../ui/components/button.tsx";
import { ConfirmByName } from "../../ui/components/fields.tsx";
import { ExactTime, RelativeTime } from "../../ui/components/values.tsx";
import { Icon } from "../../ui/components/icon.tsx";
import { Page, PageHeader } from "../../ui/components/page.tsx";
import { NONE } from "../../ui/format.ts";
import {
  alertPath,
  alertsPath,
  channelPath,
  editAlertPath,
  newAlertPath,
  sectionPath,
} from "../../ui/links.ts";
import { intervalOf, parseScope, type Scope, scopedHref } from "../../ui/scope.ts";
import { shortRange } from "../../ui/scope_pickers.tsx";
import type { Shell } from "../../ui/shell.ts";
import { AwaitsSettings } from "../channels/channel_tables.tsx";
import { type Channel, listChannels } from "../channels/channels.ts";
import { isOfIssues } from "../check_input.ts";
import { sourceHref } from "../notices.ts";
import type { AlertState } from "../rule.ts";
import type { StoredRule } from "../rules.ts";
import {
  type AlertSummary,
  historyBetween,
  historyOf,
  type HistoryPage,
  isMuted,
  statesOf,
  summaryOfStates,
} from "../states.ts";
import { levelWords, minuteWords, NO_DATA_LABELS, scheduleWords, sourceWords } from "../words.ts";
import {
  AlertChart,
  type AlertChartProps,
  bandsOf,
  chartedValues,
  rangeFor,
  rangesFor,
  spansOf,
  tryPreview,
  untilNow,
} from "./preview.tsx";
import { paramsOfInput } from "./form_params.ts";
import { HistoryTable, RuleState, StatePanel } from "./tables.tsx";
import { message, rich, t } from "../../core/language/translate.ts";

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
  readonly chart: Pick<AlertChartProps, "charted" | "bands" | "markers"> | string;
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
        { label: t("Alerts"), href: alertsPath(project.id) },
        { label: rule.name },
      ]}
    >
      <PageHeader
        title={rule.name}
        description={<RuleState rule={rule} summary={summary} now={now} />}
        actions={mayWrite && <Actions {...view} />}
      />
      <div class="space-y-4">
        <Notes {...view} />
        <div class="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_20rem]">
          <div class="min-w-0">
            <ChartBox>
              {typeof view.chart === "string"
                ? <Alert kind="warning" title={t("There is no chart")}>{view.chart}</Alert>
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
              label={t("Time")}
              choices={rangesFor(rule.windowMinutes)}
              chosen={typeof scope.range === "string" ? scope.range : ""}
              hrefOf={(range) => `${path}?range=${range}`}
              wordsOf={shortRange}
            />
          </div>
          <AlertFacts rule={rule} channels={view.channels} project={project} />
        </div>
        {states.length > 0 && <StatePanel rule={rule} states={states} />}
        <Panel title={t("History")} id="alert-history" flush>
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
        <Button name="action" value="test">{t("Test")}</Button>
      </form>
      {isEnabled && <MuteMenu isMuted={isMuted(rule, now)} />}
      <form method="post">
        <Button name="action" value={isEnabled ? "disable" : "enable"}>
          {isEnabled ? t("Turn off") : t("Turn on")}
        </Button>
      </form>
      <LinkButton href={newAlertPath(project.id, duplicateParams(rule))}>
        {t("Duplicate")}
      </LinkButton>
      <LinkButton kind="primary" href={editAlertPath(project.id, ruleId)}>{t("Edit")}</LinkButton>
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
        <Alert title={t("This alert is off")}>
          {t("It is not evaluated until somebody turns it on.")}
        </Alert>
      )}
      {isEnabled && lastError !== "" && (
        <Alert kind="danger" title={t("It could not be evaluated the last time")}>
          {t(
            "{error} The states below are those from before; it is tried again every half minute.",
            { error: lastError },
          )}
        </Alert>
      )}
      {isEnabled && mutedUntil !== null && isMuted(rule, now) && (
        <Alert title={t("This alert is muted")}>
          {rich("No notifications until {time}; states and history go on.", {
            time: <ExactTime date={mutedUntil} />,
          })}
        </Alert>
      )}
      {isEnabled && channels.length === 0 && (
        <Alert kind="warning" title={t("No notifications")}>
          {t("This alert has no channel: only its history is kept.")}
        </Alert>
      )}
    </>
  );
}

function DeletePanel({ rule, deleteError }: AlertView) {
  return (
    <Panel title={t("Delete this alert")} danger>
      <ConfirmByName
        name={rule.name}
        action={t("Delete alert")}
        idPrefix="delete-"
        fields={{ action: "delete" }}
        error={deleteError}
        consequence={t(
          "The alert disappears with its states and its history. This cannot be undone.",
        )}
      />
    </Panel>
  );
}

interface AlertFactsProps {
  readonly rule: StoredRule;
  readonly channels: readonly Channel[];
  readonly project: { readonly id: string };
}

/** What an alert watches, when it fires and who is told, in words. */
function AlertFacts({ rule, channels, project }: AlertFactsProps) {
  const { source, environments, schedule } = rule;
  return (
    <Panel title={t("About")} id="alert-about">
      <dl class="space-y-2.5">
        <Fact label={t("Watches")}>
          <a class="link wrap-anywhere" href={sourceHref(rule)}>
            <bdi>{sourceWords(source)}</bdi>
          </a>
        </Fact>
        <Fact label={t("Environments")}>
          {environments.length === 0 ? t("All") : environments.join(", ")}
        </Fact>
        {!isOfIssues(rule) && <Condition rule={rule} />}
        <Fact label={t("Channels")}>
          {channels.length === 0 ? NONE : <Channels channels={channels} projectId={project.id} />}
        </Fact>
        <Fact label={t("Schedule")}>
          {schedule === null ? t("Always") : scheduleWords(schedule)}
        </Fact>
        <Fact label={t("Last evaluated")}>
          <RelativeTime date={rule.evaluatedUntil} />
        </Fact>
        <Fact label={t("Last notified")}>
          <RelativeTime date={rule.toldAt} />
        </Fact>
        <Fact label={t("Last changed")}>
          <RelativeTime date={rule.updatedAt} />
          {rule.updatedBy !== "" && (
            <span class="wrap-anywhere">{t("by {name}", { name: rule.updatedBy })}</span>
          )}
        </Fact>
      </dl>
    </Panel>
  );
}

function Condition({ rule }: { readonly rule: StoredRule }) {
  const { condition: { critical, warning, recovery }, windowMinutes, forMinutes, noData } = rule;
  return (
    <>
      <Fact label={t("Critical")}>{levelWords(rule, critical)}</Fact>
      {warning !== null && <Fact label={t("Warning")}>{levelWords(rule, warning)}</Fact>}
      {recovery !== null && (
        <Fact label={t("Recovers")}>
          {t("no longer {level}", { level: levelWords(rule, recovery) })}
        </Fact>
      )}
      <Fact label={t("Over")}>{minuteWords(windowMinutes)}</Fact>
      <Fact label={t("For")}>
        {forMinutes === 0 ? t("no time: at once") : minuteWords(forMinutes)}
      </Fact>
      <Fact label={t("Without data")}>{t(NO_DATA_LABELS[noData])}</Fact>
    </>
  );
}

interface ChannelsProps {
  readonly channels: readonly Channel[];
  readonly projectId: string;
}

function Channels({ channels, projectId }: ChannelsProps) {
  return (
    <ul>
      {channels.map(({ channelId, name, target, awaitsSettings }) => (
        <li key={channelId} class="min-w-0 truncate">
          <a class="link" href={channelPath(projectId, channelId)} title={target}>
            <bdi>{name}</bdi>
          </a>
          {awaitsSettings && (
            <>
              {" "}
              <AwaitsSettings />
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

function Fact(
  { label, children }: { readonly label: string; readonly children: ComponentChildren },
) {
  return (
    <div class="grid grid-cols-[7.5rem_minmax(0,1fr)] gap-2">
      <dt class="min-w-0 text-muted wrap-anywhere">{label}</dt>
      <dd class="min-w-0">{children}</dd>
    </div>
  );
}

/** Minutes and what they are called. */
const MUTE_TIMES = [
  [60, message("For 1 hour")],
  [480, message("For 8 hours")],
  [1_440, message("For 1 day")],
] as const;

interface MuteMenuProps {
  readonly isMuted: boolean;
}

/** Holds the notices of an alert back for a while; states and history go on. */
function MuteMenu({ isMuted }: MuteMenuProps) {
  return (
    <Menu
      buttonClass="inline-flex h-9 items-center gap-1.5 rounded-md border border-line-strong bg-surface px-3 font-medium hover:bg-hover"
      button={
        <>
          <Icon name="ignored" />
          {isMuted ? t("Muted") : t("Mute")}
          <Icon name="chevron-down" size={12} class="text-muted" />
        </>
      }
      panelClass="w-64"
    >
      <form method="post">
        <input type="hidden" name="action" value="mute" />
        {MUTE_TIMES.map(([minutes, label]) => (
          <button
            key={minutes}
            type="submit"
            name="minutes"
            value={minutes}
            class={MENU_ITEM_LOOK}
          >
            {t(label)}
          </button>
        ))}
      </form>
      <form method="post" class="mt-1 space-y-2 border-t border-line p-2">
        <input type="hidden" name="action" value="mute" />
        <label class="block text-sm">
          <span class="block text-meta text-muted">{t("Until (UTC)")}</span>
          <input
            type="datetime-local"
            name="until"
            required
            class="h-8 w-full rounded-md border border-line-strong bg-surface px-2"
          />
        </label>
        <Button size="sm">{t("Mute until then")}</Button>
      </form>
      {isMuted && (
        <form method="post" class="mt-1 border-t border-line pt-1">
          <button type="submit" name="action" value="unmute" class={MENU_ITEM_LOOK}>
            {t("Unmute")}
          </button>
        </form>
      )}
    </Menu>
  );
}

const HISTORY_ROWS = 50;

type LoadedAlert = Omit<AlertView, "shell" | "project" | "mayWrite" | "deleteError">;

/** What the page of an alert shows: its states, its values over the time that the address names, its history. */
export async function loadAlert(
  services: Pick<Backend, "kv" | "sql" | "log">,
  project: Project,
  rule: StoredRule,
  search: URLSearchParams,
  now: Date = new Date(),
): Promise<LoadedAlert> {
  const { sql } = services;
  const { ruleId } = rule;
  const scope = scopeOf(search, rule);
  const interval = intervalOf(scope, now);
  const [states, history, within, channels, tried, markers] = await Promise.all([
    statesOf(sql, project.id, ruleId),
    historyOf(sql, project.id, ruleId, { cursor: search.get("cursor"), limit: HISTORY_ROWS }),
    historyBetween(sql, project.id, ruleId, interval),
    listChannels(sql, project.id),
    tryPreview(services, project, rule, interval),
    deployMarkers(sql, project.id, interval),
  ]);
  return {
    rule,
    now,
    scope,
    states,
    summary: summaryOfStates(states),
    history,
    channels: channels.filter(({ channelId }) => rule.channelIds.includes(channelId)),
    chart: tried.ok
      ? {
        charted: untilNow(chartedValues(tried.preview), states, now),
        bands: bandsOf(spansOf(within, states, { start: interval.start, end: now })),
        markers,
      }
      : tried.reason,
  };
}

/** Of the address, where the usual time is that which suits the window. */
function scopeOf(search: URLSearchParams, { windowMinutes }: StoredRule): Scope {
  const isChosen = search.has("range") || search.has("start");
  const scope = parseScope(search);
  return isChosen ? scope : { ...scope, range: rangeFor(windowMinutes) };
}
