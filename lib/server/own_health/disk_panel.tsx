import type { ComponentChildren } from "preact";
import { type LastBackup, lastBackup } from "../../accounts/last_backup.ts";
import { t } from "../../core/language/translate.ts";
import { withTimeLimit } from "../../core/waiting.ts";
import { Panel } from "../../ui/components/panel.tsx";
import { RelativeTime } from "../../ui/components/values.tsx";
import { formatBytes, formatPercent } from "../../ui/format.ts";
import { formatMinute } from "../../ui/format_time.ts";
import { type DiskForecast, type DiskUse, diskUse, forecastOf, TOLD_DAYS } from "../disk_budget.ts";
import type { Services } from "../services.ts";

/** Room for telemetry. */
export interface DiskView {
  /** Null: `SERVICE_MAX_DISK` is not set. */
  readonly maxBytes: number | null;
  /** Null without a budget, before it was measured, and while KV is away. */
  readonly use: DiskUse | null;
  /** Of the disk of embedded stores; null without any. */
  readonly room: { readonly freeBytes: number; readonly totalBytes: number } | null;
  readonly forecast: DiskForecast;
  /** Null: there was none, or KV is away. */
  readonly backup: LastBackup | null;
}

const LIMIT_MS = 2_000;

/** Never throws: the page is most needed while a store is away. */
export async function loadDisk({ kv, disk, config }: Services): Promise<DiskView> {
  const { maxDiskBytes: maxBytes } = config;
  const orNull = <T,>(read: Promise<T | null>) => withTimeLimit(read, LIMIT_MS).catch(() => null);
  const [use, backup] = await Promise.all([
    maxBytes === null ? null : orNull(diskUse(kv)),
    orNull(lastBackup(kv)),
  ]);
  const forecast = await forecastOf({ disk, config }, use);
  return { maxBytes, use, room: disk.room(), forecast, backup };
}

/** What telemetry takes, when that is too much, and what goes then. */
export function DiskPanel({ maxBytes, use, room, forecast, backup }: DiskView) {
  return (
    <Panel
      title={t("Disk")}
      id="disk"
      description={maxBytes === null
        ? t(
          "Set SERVICE_MAX_DISK to let the oldest days make room by themselves before the disk is full.",
        )
        : t(
          "When SERVICE_MAX_DISK is used up, the oldest days are removed, of each day everything else before its errors. Requests are taken all the same.",
        )}
    >
      <dl class="grid grid-cols-2 gap-x-6 gap-y-3 sm:grid-cols-3 lg:grid-cols-4">
        {maxBytes !== null && <Budget maxBytes={maxBytes} use={use} />}
        {room !== null && (
          <Fact label={t("Free on the disk of the embedded stores")}>
            {t("{waiting} of {most}", {
              waiting: formatBytes(room.freeBytes),
              most: formatBytes(room.totalBytes),
            })}
          </Fact>
        )}
        <Fact label={t("Full@@disk")}>
          <Forecast {...forecast} isMeasured={room !== null || use !== null} />
        </Fact>
        {use !== null && <Kept {...use} />}
        <Fact label={t("Last backup")}>
          {backup === null ? t("none is known") : <Backup {...backup} />}
        </Fact>
      </dl>
    </Panel>
  );
}

function Budget({ maxBytes, use }: { maxBytes: number; use: DiskUse | null }) {
  if (use === null) {
    return <Fact label={t("Disk budget")}>{t("measured in a few minutes")}</Fact>;
  }
  const { postgresBytes, objectBytes, at, listedAt } = use;
  const used = postgresBytes + objectBytes;
  return (
    <>
      <Fact label={t("Disk budget")}>
        {t("{waiting} of {most}", { waiting: formatBytes(used), most: formatBytes(maxBytes) })}{" "}
        ({formatPercent(used / maxBytes)})
        <More>{t("with the spool and source maps")}</More>
      </Fact>
      <Fact label={t("Postgres")}>
        {formatBytes(postgresBytes)}
        <More>
          <RelativeTime date={new Date(at)} />
        </More>
      </Fact>
      <Fact label={t("Object store")}>
        {formatBytes(objectBytes)}
        <More>
          <RelativeTime date={new Date(listedAt)} />
        </More>
      </Fact>
    </>
  );
}

function Forecast({ days, isKnown, isMeasured }: DiskForecast & { isMeasured: boolean }) {
  if (days !== null) {
    const text = t("in {n} day|in {n} days", { n: Math.floor(days) });
    return days <= TOLD_DAYS ? <strong class="text-warning">{text}</strong> : <>{text}</>;
  }
  if (isKnown) return <>{t("not as things go")}</>;
  return <>{isMeasured ? t("known after a day") : t("see the disks of the external stores")}</>;
}

function Kept({ keptFrom, told }: DiskUse) {
  const { others, errors } = keptFrom;
  return (
    <>
      {others !== undefined && (
        <Fact label={t("Removed for room, all but errors")}>
          {t("before {day}", { day: formatMinute(new Date(others)) })}
        </Fact>
      )}
      {errors !== undefined && (
        <Fact label={t("Removed for room, errors")}>
          {t("before {day}", { day: formatMinute(new Date(errors)) })}
        </Fact>
      )}
      {told === "stuck" && (
        <Fact label={t("Too small")}>
          <strong class="text-danger">
            {t("The last three days and what does not belong to a day take more.")}
          </strong>
        </Fact>
      )}
    </>
  );
}

function Backup({ endedAt, bytes, isWhole, error }: LastBackup) {
  return (
    <>
      <RelativeTime date={endedAt} />
      <More>{formatBytes(bytes)}</More>
      {(!isWhole || error !== null) && (
        <strong class="block text-danger">
          {error === null ? t("something was missing or damaged") : t("the one after it failed")}
        </strong>
      )}
    </>
  );
}

function More({ children }: { children: ComponentChildren }) {
  return <span class="block text-meta text-muted">{children}</span>;
}

function Fact({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <div class="min-w-0">
      <dt class="text-meta text-muted">{label}</dt>
      <dd class="tabular-nums">{children}</dd>
    </div>
  );
}
