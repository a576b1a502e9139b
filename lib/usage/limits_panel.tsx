import type { ComponentChildren } from "preact";
import type { Config } from "../core/config.ts";
import type { IngestKey } from "../accounts/keys.ts";
import { type Project, settingsOf } from "../accounts/projects.ts";
import { type QuotaUse, STRANDED_PART } from "../accounts/quotas.ts";
import { decodedLimit } from "../core/read_body.ts";
import { Panel } from "../ui/components/panel.tsx";
import { formatExact, formatPercent } from "../ui/format.ts";
import { sectionPath } from "../ui/links.ts";
import { WARN_FROM } from "./banners.tsx";

interface LimitsPanelProps {
  readonly config: Pick<Config, "ingestRatePerSec" | "maxEventBytes" | "retentionDays">;
  readonly quota: QuotaUse;
  readonly projects: readonly Project[];
  /** Keys with a rate of their own; empty for those who may not see keys. */
  readonly limitedKeys: readonly IngestKey[];
  /** The person who looks can raise the quota. */
  readonly mayRaise: boolean;
}

/** The limits in force, and where each is set. */
export function LimitsPanel(props: LimitsPanelProps) {
  const { quota, config, mayRaise } = props;
  return (
    <Panel title="Limits in force" id="limits">
      <dl class="grid gap-x-8 gap-y-4 sm:grid-cols-2 xl:grid-cols-3">
        <Limit
          label="Quota of this month"
          where={mayRaise
            ? <a class="link" href="/instance#organizations">set on the instance's page</a>
            : "set by an administrator of this instance"}
        >
          {quota.quota === 0 ? "unlimited" : <QuotaBar {...quota} />}
        </Limit>
        <Limit
          label="Requests a second of each project"
          where="SERVICE_INGEST_RATE_PER_SEC of the server; projects and keys may have a lower one"
        >
          {formatExact(config.ingestRatePerSec)}, twice that in a burst
          <OwnRates {...props} />
        </Limit>
        <Limit label="Size of a request as sent" where="SERVICE_MAX_EVENT_BYTES of the server">
          {formatExact(config.maxEventBytes)} bytes
        </Limit>
        <Limit label="Size after decompression" where="fixed, but never below the size as sent">
          {formatExact(decodedLimit(config.maxEventBytes))} bytes
        </Limit>
        <Limit label="Days that everything is kept" where="SERVICE_RETENTION_DAYS of the server">
          {formatExact(config.retentionDays)}, these figures included
        </Limit>
      </dl>
      <p class="mt-4 max-w-prose text-sm text-muted">
        A process that is killed loses no accepted record and never lets more in than the quota.
        What it may miss: counts of what was refused or filtered within its last second, and while
        Postgres was away; {quota.quota === 0
          ? "and, once there is a quota, permits in hand"
          : `and up to ${formatExact(Math.floor(quota.quota * STRANDED_PART))} permits in hand`}
        {", "}
        {formatPercent(STRANDED_PART)} of the quota at most, which count as used.
      </p>
    </Panel>
  );
}

/** What is lower for some projects and keys, with links to where. */
function OwnRates({ projects, limitedKeys }: LimitsPanelProps) {
  const nameOf = new Map(projects.map(({ id, name }) => [id, name]));
  const own = [
    ...projects.map((project) => (
      { id: project.id, label: project.name, rate: settingsOf(project).ratePerSec }
    )),
    ...limitedKeys.map(({ projectId, name, ratePerSec }) => (
      { id: projectId, label: `${nameOf.get(projectId)}, key ${name}`, rate: ratePerSec ?? null }
    )),
  ].filter(({ rate }) => rate !== null);
  return own.length === 0 ? null : (
    <ul class="max-h-40 overflow-y-auto" tabindex={0}>
      {own.map(({ id, label, rate }, index) => (
        <li key={index} class="wrap-anywhere">
          <a class="link" href={`${sectionPath(id, "settings")}/keys`}>{label}</a>:{" "}
          {formatExact(rate)}
        </li>
      ))}
    </ul>
  );
}

interface LimitProps {
  readonly label: string;
  readonly where: ComponentChildren;
  readonly children: ComponentChildren;
}

function Limit({ label, where, children }: LimitProps) {
  return (
    <div class="min-w-0">
      <dt class="text-sm text-muted">{label}</dt>
      <dd class="mt-0.5 tabular-nums">
        {children}
        <span class="block text-meta text-muted wrap-anywhere">{where}</span>
      </dd>
    </div>
  );
}

function QuotaBar({ quota, used }: QuotaUse) {
  const share = Math.min(1, used / quota);
  return (
    <>
      up to {formatExact(used)} of {formatExact(quota)}{" "}
      requests used ({formatPercent(used / quota)})
      <svg
        viewBox="0 0 100 1"
        preserveAspectRatio="none"
        aria-hidden="true"
        class="my-1 block h-2 w-full max-w-sm"
      >
        <rect width="100" height="1" class="fill-line" />
        <rect
          width={100 * share}
          height="1"
          class={share >= WARN_FROM ? "fill-warning-fill" : "fill-accent-fill"}
        />
      </svg>
    </>
  );
}
