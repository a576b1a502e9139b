import { HOUR_MS, MINUTE_MS } from "../core/time.ts";
import type { Project } from "../accounts/projects.ts";
import { exploreHref } from "../metrics/mod.ts";
import type { Sql } from "../store/database.ts";
import { alertPath, issuePath, pageVitalsHref, sectionPath, transactionHref } from "../ui/links.ts";
import { type Scope, scopedHref } from "../ui/scope.ts";
import { type Channel, listChannels } from "./channels/channels.ts";
import { isOfIssues } from "./check_input.ts";
import type { Notice, NoticeState, Severity } from "./channels/message.ts";
import { enqueueNotice } from "./deliveries/queue.ts";
import type { News, NoticePlace } from "./evaluation/evaluate_rule.ts";
import { explorationOf } from "./pages/form_params.ts";
import { TRANSACTION_MEASURES } from "./measures.ts";
import { type AlertRule, groupId, type Told } from "./rule.ts";
import type { StoredRule } from "./rules.ts";
import { formatAlertValue, levelWords, minuteWords, sourceWords, valueKindOf } from "./words.ts";
import { currentLanguage, message, t } from "../core/language/translate.ts";

const MAX_TITLE = 200;
const STATES: Readonly<Record<Told["status"], NoticeState>> = {
  ok: "resolved",
  firing: "firing",
  no_data: "no_data",
};

/** Words what channels hear of a group of a rule. */
export function noticeOf(rule: AlertRule, place: NoticePlace, news: News): Notice {
  const { state, told, at } = news;
  return {
    projectId: rule.projectId,
    projectName: place.projectName,
    state: STATES[told.status],
    severity: severityOf(told),
    title: cut(titleOf(rule, news)),
    text: textOf(rule, news),
    url: place.baseUrl + noticePath(rule, state.group, at),
    ruleUrl: place.baseUrl + alertPath(rule.projectId, rule.ruleId),
    ruleName: rule.name,
    facts: factsOf(rule, news),
    incidentKey: `${rule.projectId}/${rule.ruleId}/${groupId(state.group)}`,
    ...isOfIssues(rule) ? { issueId: state.group } : {},
    occurredAt: at,
    language: currentLanguage(),
  };
}

function severityOf({ status, level }: Told): Severity {
  if (status === "ok") return "info";
  return status === "firing" ? level ?? "critical" : "warning";
}

function titleOf(rule: AlertRule, { state, told, words }: News): string {
  const { source } = rule;
  if (isOfIssues(rule)) {
    const isNew = source.kind === "errors" && source.measure === "new_issue";
    return isNew
      ? t("New issue: {issue}", { issue: words })
      : t("Regression: {issue}", { issue: words });
  }
  const what = sourceWords(source) + (words === "" ? "" : ` (${words})`);
  if (told.status === "no_data") return t("No data: {what}", { what });
  const now = state.value === null
    ? what
    : t("{what} is {value}", { what, value: valueText(rule, state.value) });
  return told.status === "ok" ? t("Resolved: {now}", { now }) : now;
}

function textOf(rule: AlertRule, news: News): string {
  const { state, told, isEnded } = news;
  const window = minuteWords(rule.windowMinutes);
  if (isOfIssues(rule)) {
    return t("Events so far: {count}.", { count: valueText(rule, state.value) });
  }
  if (told.status === "no_data") return t("Nothing has come for more than {window}.", { window });
  if (told.status === "firing") return firingText(rule, news, window);
  if (isEnded) return t("The alert was switched off or deleted.");
  return state.value === null
    ? t("There is no data any more.")
    : t("Back to normal over the last {window}.", { window });
}

function firingText(rule: AlertRule, { state, told }: News, window: string): string {
  const { warning, critical } = rule.condition;
  const isCritical = told.level === "critical" || warning === null;
  const level = isCritical
    ? t("critical {level}", { level: levelWords(rule, critical) })
    : t("a warning {level}", { level: levelWords(rule, warning) });
  const held = rule.forMinutes === 0
    ? ""
    : t("It has been so for {time}.", { time: minuteWords(rule.forMinutes) });
  const text = t("Over the last {window} it is {value}, which is {level}.", {
    window,
    value: valueText(rule, state.value),
    level,
  });
  return held === "" ? text : `${text} ${held}`;
}

function factsOf(rule: AlertRule, { state, told, words }: News): Notice["facts"] {
  const { condition: { critical, warning }, windowMinutes, environments } = rule;
  const value = valueText(rule, state.value);
  const environment = {
    label: t("Environment"),
    value: environments.length === 0 ? t("all") : environments.join(", "),
  };
  if (isOfIssues(rule)) return [{ label: t("Events"), value }, environment];
  return [
    { label: t("Value"), value },
    ...told.level === null ? [] : [{ label: t("Level"), value: t(LEVEL_WORDS[told.level]) }],
    { label: t("Critical"), value: levelWords(rule, critical) },
    ...warning === null ? [] : [{ label: t("Warning"), value: levelWords(rule, warning) }],
    { label: t("Window"), value: minuteWords(windowMinutes) },
    ...words === "" ? [] : [{ label: t("Group"), value: words }],
    environment,
  ];
}

const LEVEL_WORDS = { critical: message("critical"), warning: message("warning") } as const;

function valueText({ source }: AlertRule, value: number | null): string {
  return formatAlertValue(value, valueKindOf(source));
}

function cut(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length <= MAX_TITLE ? line : `${line.slice(0, MAX_TITLE - 1).toWellFormed()}…`;
}

const LEAST_SHOWN_MS = HOUR_MS;
/** How much of the time shown lies before the window. */
const WINDOWS_SHOWN = 6;

/**
 * Path of what a notice is about: the issue, or the page that shows the same values around that time.
 *
 * @param group of the state: of rules of issues the issue's id
 */
function noticePath(rule: AlertRule, group: string, at: Date): string {
  return isOfIssues(rule) ? issuePath(rule.projectId, group) : pageOf(rule, scopeAt(rule, at));
}

/** Some windows before a time, and a little after it, in whole minutes. */
function scopeAt({ environments, windowMinutes }: AlertRule, at: Date): Scope {
  const end = (Math.floor(at.getTime() / MINUTE_MS) + 5) * MINUTE_MS;
  const shownMs = Math.max(LEAST_SHOWN_MS, windowMinutes * WINDOWS_SHOWN * MINUTE_MS);
  return {
    environments: [...environments].sort(),
    releases: [],
    services: [],
    range: { start: new Date(end - shownMs), end: new Date(end) },
  };
}

/** The page that shows what an alert watches. */
export function sourceHref(rule: AlertRule): string {
  return pageOf(rule, {
    environments: rule.environments,
    releases: [],
    services: [],
    range: "24h",
  });
}

function pageOf({ projectId, source }: AlertRule, scope: Scope): string {
  switch (source.kind) {
    case "metric":
      return exploreHref(projectId, explorationOf(source), scope);
    case "errors":
      return scopedHref(sectionPath(projectId, "issues"), scope, { query: source.search });
    case "transactions": {
      const { isVital } = TRANSACTION_MEASURES[source.measure];
      if (source.transaction === null) {
        return scopedHref(sectionPath(projectId, isVital ? "web-vitals" : "performance"), scope);
      }
      const hrefOf = isVital ? pageVitalsHref : transactionHref;
      return hrefOf(projectId, scope, source.transaction);
    }
  }
}

/**
 * Sends a notice that says it is a test to the channels of a rule, whether it is muted or not.
 *
 * @param baseUrl address of the service, without a slash at its end
 * @returns the channels that will hear of it; none when the rule has none
 */
export async function testRule(
  { sql, baseUrl }: { readonly sql: Sql; readonly baseUrl: string },
  project: Pick<Project, "id" | "name">,
  rule: StoredRule,
  now: Date = new Date(),
): Promise<Channel[]> {
  const channels = (await listChannels(sql, project.id))
    .filter(({ channelId }) => rule.channelIds.includes(channelId));
  if (channels.length === 0) return [];
  const url = baseUrl + alertPath(project.id, rule.ruleId);
  const notice: Notice = {
    projectId: project.id,
    projectName: project.name,
    state: "test",
    severity: "info",
    title: t("Test of the alert “{name}”", { name: rule.name }),
    text: t("This is a test: the channel works. Nothing is wrong."),
    url,
    ruleUrl: url,
    ruleName: rule.name,
    facts: [{ label: t("Watches"), value: sourceWords(rule.source) }],
    incidentKey: `${project.id}/${rule.ruleId}/test`,
    occurredAt: now,
    language: currentLanguage(),
  };
  await enqueueNotice(sql, notice, channels.map(({ channelId }) => channelId));
  return channels;
}
