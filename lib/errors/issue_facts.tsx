import type { ComponentChildren } from "preact";
import type { Issue } from "./issues.ts";
import type { Occurrences } from "./occurrences.ts";
import { BarChart } from "../ui/charts/bar_chart.tsx";
import { Count } from "../ui/components/count.tsx";
import { Panel } from "../ui/components/panel.tsx";
import { RelativeTime } from "../ui/components/relative_time.tsx";
import { visible } from "../ui/read.ts";

export interface IssueFactsProps {
  readonly issue: Issue;
  readonly occurrences: Occurrences;
  readonly bucketSec: number;
  /** When the scope ends. */
  readonly end: Date;
}

/** How often, for whom, since when and in which releases: the figures beside the chart of the scope. */
export function IssueFacts({ issue, occurrences, bucketSec, end }: IssueFactsProps) {
  return (
    <Panel class="mb-4">
      <div class="grid gap-x-8 gap-y-4 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <BarChart
          title="Occurrences"
          unit="events"
          start={occurrences.start}
          end={end}
          bucketSec={bucketSec}
          counts={occurrences.counts}
          markers={[{ at: issue.firstSeen, label: firstSeenWords(issue) }]}
        />
        <dl class="grid grid-cols-2 content-start gap-x-6 gap-y-3">
          <Fact label="Events" isLarge>
            <Count value={issue.timesSeen} unit="events" />
          </Fact>
          <Fact label="Users" isLarge>
            <Count value={issue.usersSeen} unit="users" />
          </Fact>
          <Fact label="First seen">
            <RelativeTime date={issue.firstSeen} />
            <Release name={issue.firstRelease} />
          </Fact>
          <Fact label="Last seen">
            <RelativeTime date={issue.lastSeen} />
            <Release name={issue.lastRelease} />
          </Fact>
        </dl>
      </div>
    </Panel>
  );
}

interface FactProps {
  readonly label: string;
  readonly isLarge?: boolean;
  readonly children: ComponentChildren;
}

function Fact({ label, isLarge = false, children }: FactProps) {
  return (
    <div class="min-w-0">
      <dt class="text-meta text-muted">{label}</dt>
      <dd class={isLarge ? "text-xl font-semibold" : "text-sm"}>{children}</dd>
    </div>
  );
}

function Release({ name }: { readonly name: string }) {
  if (name === "") return null;
  return (
    <span class="block truncate font-mono text-meta text-muted" title={visible(name)}>
      in <bdi>{visible(name)}</bdi>
    </span>
  );
}

function firstSeenWords({ firstRelease }: Issue): string {
  return firstRelease === "" ? "First seen" : `First seen in ${visible(firstRelease)}`;
}
