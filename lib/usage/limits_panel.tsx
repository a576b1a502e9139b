import type { ComponentChildren } from "preact";
import type { Config } from "../core/config.ts";
import type { IngestKey } from "../accounts/keys.ts";
import { type Project, settingsOf } from "../accounts/projects.ts";
import { type QuotaUse, STRANDED_PART } from "../accounts/quotas.ts";
import { decodedLimit } from "../core/read_body.ts";
import { Panel } from "../ui/components/panel.tsx";
import { formatBytes, formatExact, formatPercent } from "../ui/format.ts";
import { sectionPath } from "../ui/links.ts";
import { WARN_FROM } from "./banners.tsx";
import { t } from "../core/language/translate.ts";

interface LimitsPanelProps {
  readonly config: Pick<Config, "ingestRatePerSec" | "maxEventBytes" | "retentionDays">;
  readonly quota: QuotaUse;
  readonly bytesQuota: QuotaUse;
  readonly projects: readonly Project[];
  /** Keys with a rate of their own; empty for those who may not see keys. */
  readonly limitedKeys: readonly IngestKey[];
  /** The person who looks can raise the quota. */
  readonly mayRaise: boolean;
}

/** The limits in force, and where each is set. */
export function LimitsPanel(props: LimitsPanelProps) {
  const { quota, bytesQuota, config, mayRaise } = props;
  const setWhere = mayRaise
    ? <a class="link" href="/instance#organizations">{t("set on the instance's page")}</a>
    : t("set by an administrator of this instance");
  return (
    <Panel title={t("Limits in force")} id="limits">
      <dl class="grid gap-x-8 gap-y-4 sm:grid-cols-2 xl:grid-cols-3">
        <Limit
          label={t("Quota of this month")}
          where={setWhere}
        >
          {quota.quota === 0 ? t("unlimited") : (
            <>
              {t("up to {used} of {quota} requests used ({share})", {
                used: quota.used,
                quota: quota.quota,
                share: formatPercent(quota.used / quota.quota),
              })}
              <QuotaBar {...quota} />
            </>
          )}
        </Limit>
        <Limit label={t("Data of this month, as it is sent")} where={setWhere}>
          {bytesQuota.quota === 0 ? t("unlimited") : (
            <>
              {t("up to {used} of {quota} used ({share})", {
                used: formatBytes(bytesQuota.used),
                quota: formatBytes(bytesQuota.quota),
                share: formatPercent(bytesQuota.used / bytesQuota.quota),
              })}
              <QuotaBar {...bytesQuota} />
            </>
          )}
        </Limit>
        <Limit
          label={t("Requests a second of each project")}
          where={t("{setting} of the server; projects and keys may have a lower one", {
            setting: "SERVICE_INGEST_RATE_PER_SEC",
          })}
        >
          {t("{rate}, twice that in a burst", { rate: config.ingestRatePerSec })}
          <OwnRates {...props} />
        </Limit>
        <Limit
          label={t("Size of a request as sent")}
          where={t("{setting} of the server", { setting: "SERVICE_MAX_EVENT_BYTES" })}
        >
          {t("{n} byte|{n} bytes", { n: config.maxEventBytes })}
        </Limit>
        <Limit
          label={t("Size after decompression")}
          where={t("fixed, but never below the size as sent")}
        >
          {t("{n} byte|{n} bytes", { n: decodedLimit(config.maxEventBytes) })}
        </Limit>
        <Limit
          label={t("Days that everything is kept")}
          where={t("{setting} of the server", { setting: "SERVICE_RETENTION_DAYS" })}
        >
          {t("{days}, these figures included", { days: config.retentionDays })}
        </Limit>
      </dl>
      <p class="mt-4 max-w-prose text-sm text-muted">
        {quota.quota === 0
          ? t(
            "A process that is killed loses no accepted record and never lets more in than the quota. What it may miss: counts of what was refused or filtered within its last second, and while Postgres was away; and, once there is a quota, permits in hand, {share} of the quota at most, which count as used.",
            { share: formatPercent(STRANDED_PART) },
          )
          : t(
            "A process that is killed loses no accepted record and never lets more in than the quota. What it may miss: counts of what was refused or filtered within its last second, and while Postgres was away; and up to {n} permit in hand, {share} of the quota at most, which count as used.|A process that is killed loses no accepted record and never lets more in than the quota. What it may miss: counts of what was refused or filtered within its last second, and while Postgres was away; and up to {n} permits in hand, {share} of the quota at most, which count as used.",
            {
              n: Math.floor(quota.quota * STRANDED_PART),
              share: formatPercent(STRANDED_PART),
            },
          )}
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
      {
        id: projectId,
        label: t("{project}, key {name}", { project: nameOf.get(projectId) ?? "", name }),
        rate: ratePerSec ?? null,
      }
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
  );
}
