import type { ComponentChildren } from "preact";
import type { Project } from "../../control/projects.ts";
import { settingsOf } from "../../control/project_settings.ts";
import type { QuotaUse } from "../../control/quotas.ts";
import { Panel } from "../components/panel.tsx";
import { formatBytes, formatExact, formatPercent } from "../format.ts";
import { sectionPath } from "../sections.ts";

export interface LimitsPanelProps {
  readonly quota: QuotaUse;
  readonly projects: readonly Project[];
  readonly instanceRatePerSec: number;
  readonly maxEventBytes: number;
}

/** The limits in force, and where each is set. */
export function LimitsPanel(props: LimitsPanelProps) {
  const { quota, projects, instanceRatePerSec, maxEventBytes } = props;
  const own = projects.flatMap((project) => {
    const { ratePerSec } = settingsOf(project);
    return ratePerSec === null ? [] : [{ project, ratePerSec }];
  });
  return (
    <Panel title="Limits in force" id="limits">
      <dl class="grid gap-x-6 gap-y-3 sm:grid-cols-[12rem_1fr]">
        <Limit label="Quota of the month" where="set by an instance administrator">
          {quota.quota === 0 ? "unlimited" : <QuotaBar {...quota} />}
        </Limit>
        <Limit
          label="Rate of each project"
          where="SERVICE_INGEST_RATE_PER_SEC on the server; projects and keys may set a lower one"
        >
          {formatExact(instanceRatePerSec)} requests/s, twice that in a burst
          {own.map(({ project, ratePerSec }) => (
            <span key={project.id} class="block">
              <a class="link" href={`${sectionPath(project.id, "settings")}/keys#rate-limit`}>
                {project.name}
              </a>: {formatExact(ratePerSec)} requests/s
            </span>
          ))}
        </Limit>
        <Limit label="Size of a request" where="SERVICE_MAX_EVENT_BYTES on the server, as sent">
          {formatBytes(maxEventBytes)}
        </Limit>
      </dl>
    </Panel>
  );
}

function Limit(
  { label, where, children }: {
    readonly label: string;
    readonly where: string;
    readonly children: ComponentChildren;
  },
) {
  return (
    <>
      <dt class="text-muted">{label}</dt>
      <dd class="min-w-0 tabular-nums">
        {children}
        <span class="block text-meta text-muted">{where}</span>
      </dd>
    </>
  );
}

function QuotaBar({ quota, used }: QuotaUse) {
  const share = Math.min(1, used / quota);
  return (
    <>
      {formatExact(used)} of {formatExact(quota)} requests ({formatPercent(share)})
      <progress
        class="mt-1 block h-2 w-full max-w-sm accent-accent-fill"
        value={Math.min(used, quota)}
        max={quota}
        aria-label="Used of the quota"
      />
    </>
  );
}
