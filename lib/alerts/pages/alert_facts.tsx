import type { ComponentChildren } from "preact";
import { isOfIssues } from "../check_input.ts";
import type { StoredRule } from "../rules.ts";
import type { Channel } from "../channels/channels.ts";
import { Panel } from "../../ui/components/panel.tsx";
import { RelativeTime } from "../../ui/components/relative_time.tsx";
import { NONE } from "../../ui/format.ts";
import { sectionPath } from "../../ui/links.ts";
import { sourceHref } from "../source_href.ts";
import { formatAlertValue, valueKindOf } from "../values.ts";
import {
  COMPARISON_LABELS,
  minuteWords,
  NO_DATA_LABELS,
  scheduleWords,
  sourceWords,
} from "../words.ts";

export interface AlertFactsProps {
  readonly rule: StoredRule;
  readonly channels: readonly Channel[];
  readonly project: { readonly id: string };
}

/** What an alert watches, when it fires and who is told, in words. */
export function AlertFacts({ rule, channels, project }: AlertFactsProps) {
  const { source, environments, schedule } = rule;
  return (
    <Panel title="About" id="alert-about">
      <dl class="space-y-2.5">
        <Fact label="Watches">
          <a class="link wrap-anywhere" href={sourceHref(rule)}>
            <bdi>{sourceWords(source)}</bdi>
          </a>
        </Fact>
        <Fact label="Environments">
          {environments.length === 0 ? "All" : environments.join(", ")}
        </Fact>
        {!isOfIssues(rule) && <Condition rule={rule} />}
        <Fact label="Channels">
          {channels.length === 0 ? NONE : <Channels channels={channels} projectId={project.id} />}
        </Fact>
        <Fact label="Schedule">{schedule === null ? "Always" : scheduleWords(schedule)}</Fact>
        <Fact label="Last evaluated">
          <RelativeTime date={rule.evaluatedUntil} />
        </Fact>
        <Fact label="Last notified">
          <RelativeTime date={rule.toldAt} />
        </Fact>
        <Fact label="Last changed">
          <RelativeTime date={rule.updatedAt} />
          {rule.updatedBy !== "" && <span class="wrap-anywhere">{` by ${rule.updatedBy}`}</span>}
        </Fact>
      </dl>
    </Panel>
  );
}

function Condition({ rule }: { readonly rule: StoredRule }) {
  const { source, condition, windowMinutes, forMinutes, noData } = rule;
  const { comparison, critical, warning, recovery } = condition;
  const kind = valueKindOf(source);
  const word = COMPARISON_LABELS[comparison];
  return (
    <>
      <Fact label="Critical">{`${word} ${formatAlertValue(critical, kind)}`}</Fact>
      {warning !== null && (
        <Fact label="Warning">{`${word} ${formatAlertValue(warning, kind)}`}</Fact>
      )}
      {recovery !== null && (
        <Fact label="Recovers">{`no longer ${word} ${formatAlertValue(recovery, kind)}`}</Fact>
      )}
      <Fact label="Over">{minuteWords(windowMinutes)}</Fact>
      <Fact label="For">{forMinutes === 0 ? "no time: at once" : minuteWords(forMinutes)}</Fact>
      <Fact label="Without data">{NO_DATA_LABELS[noData]}</Fact>
    </>
  );
}

interface ChannelsProps {
  readonly channels: readonly Channel[];
  readonly projectId: string;
}

function Channels({ channels, projectId }: ChannelsProps) {
  const path = `${sectionPath(projectId, "settings")}/channels`;
  return (
    <ul>
      {channels.map(({ channelId, name, target }) => (
        <li key={channelId} class="min-w-0 truncate">
          <a class="link" href={`${path}/${channelId}`} title={target}>
            <bdi>{name}</bdi>
          </a>
        </li>
      ))}
    </ul>
  );
}

function Fact(
  { label, children }: { readonly label: string; readonly children: ComponentChildren },
) {
  return (
    <div class="grid grid-cols-[7rem_minmax(0,1fr)] gap-2">
      <dt class="text-muted">{label}</dt>
      <dd class="min-w-0">{children}</dd>
    </div>
  );
}
