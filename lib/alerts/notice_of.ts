import { isOfIssues } from "./check_input.ts";
import { groupId } from "./group_id.ts";
import type { Told } from "./group_state.ts";
import type { AlertRule } from "./rule.ts";
import type { Notice, NoticeState, Severity } from "./deliveries/notice.ts";
import { alertPath } from "../ui/paths.ts";
import { formatAlertValue, valueKindOf } from "./values.ts";
import { COMPARISON_LABELS, minuteWords, sourceWords } from "./words.ts";
import type { News, NoticePlace } from "./evaluation/news.ts";
import { noticePath } from "./notice_url.ts";

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
    occurredAt: at,
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
    return `${isNew ? "New issue" : "Issue came back"}: ${words}`;
  }
  const what = sourceWords(source) + (words === "" ? "" : ` (${words})`);
  if (told.status === "no_data") return `No data: ${what}`;
  const now = state.value === null ? what : `${what} is ${valueText(rule, state.value)}`;
  return told.status === "ok" ? `Resolved: ${now}` : now;
}

function textOf(rule: AlertRule, news: News): string {
  const { state, told, isEnded } = news;
  const window = minuteWords(rule.windowMinutes);
  if (isOfIssues(rule)) return `Seen ${valueText(rule, state.value)} times so far.`;
  if (told.status === "no_data") return `Nothing has come for more than ${window}.`;
  if (told.status === "firing") return firingText(rule, news, window);
  if (isEnded) return "The alert was switched off or deleted.";
  return state.value === null
    ? "There is no data any more."
    : `Over the last ${window} it is back to normal.`;
}

function firingText(rule: AlertRule, { state, told }: News, window: string): string {
  const { warning, critical } = rule.condition;
  const isCritical = told.level === "critical" || warning === null;
  const level = isCritical
    ? `critical ${levelText(rule, critical)}`
    : `a warning ${levelText(rule, warning)}`;
  const held = rule.forMinutes === 0 ? "" : ` It has been so for ${minuteWords(rule.forMinutes)}.`;
  return `Over the last ${window} it is ${valueText(rule, state.value)}, which is ${level}.${held}`;
}

function factsOf(rule: AlertRule, { state, told, words }: News): Notice["facts"] {
  const { condition: { critical, warning }, windowMinutes, environments } = rule;
  const value = valueText(rule, state.value);
  const environment = {
    label: "Environment",
    value: environments.length === 0 ? "all" : environments.join(", "),
  };
  if (isOfIssues(rule)) return [{ label: "Events", value }, environment];
  return [
    { label: "Value", value },
    ...told.level === null ? [] : [{ label: "Level", value: told.level }],
    { label: "Critical", value: levelText(rule, critical) },
    ...warning === null ? [] : [{ label: "Warning", value: levelText(rule, warning) }],
    { label: "Window", value: minuteWords(windowMinutes) },
    ...words === "" ? [] : [{ label: "Group", value: words }],
    environment,
  ];
}

function levelText({ source, condition }: AlertRule, level: number): string {
  return `${COMPARISON_LABELS[condition.comparison]} ${
    formatAlertValue(level, valueKindOf(source))
  }`;
}

function valueText({ source }: AlertRule, value: number | null): string {
  return formatAlertValue(value, valueKindOf(source));
}

function cut(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length <= MAX_TITLE ? line : `${line.slice(0, MAX_TITLE - 1).toWellFormed()}…`;
}
