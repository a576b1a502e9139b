import { CopyButton } from "../ui/components/button.tsx";
import { Alert } from "../ui/components/panel.tsx";
import { formatBytes, formatPercent } from "../ui/format.ts";
import type { QuotaKind } from "../accounts/quotas.ts";
import type { TooLarge } from "./counts.ts";
import { type Message, message, t } from "../core/language/translate.ts";

/** A quota that is nearly or wholly used up. */
interface QuotaWarning {
  readonly organization: { readonly slug: string; readonly name: string };
  readonly kind: QuotaKind;
  /** Of the month, what instances hold in hand for the next seconds included. */
  readonly used: number;
  readonly quota: number;
}

/** From this part of a quota on there is a warning. */
export const WARN_FROM = 0.8;

interface QuotaBannerProps extends QuotaWarning {
  /** The person who reads it can raise the quota. */
  readonly mayRaise: boolean;
}

/** Says on every page of an organization that its quota ends soon, or has ended, and what to do. */
export function QuotaBanner({ organization, kind, used, quota, mayRaise }: QuotaBannerProps) {
  const amounts = kind === "bytes"
    ? t("{waiting} of {most}", { waiting: formatBytes(used), most: formatBytes(quota) })
    : t("{used} of {quota} requests", { used, quota });
  const isOver = used >= quota;
  const usage = `/organizations/${encodeURIComponent(organization.slug)}/settings/usage`;
  return (
    <Alert
      kind={isOver ? "danger" : "warning"}
      class="mb-4"
      title={isOver
        ? t("{organization} has used up its quota of the month", {
          organization: organization.name,
        })
        : t("{organization} has used {share} of its quota of the month", {
          organization: organization.name,
          share: formatPercent(used / quota),
        })}
    >
      {isOver
        ? t(
          "{amounts}. Whatever is sent is refused with 429 and lost until the next month begins (UTC).",
          { amounts },
        )
        : t(
          "{amounts}. When it is used up, whatever is sent is refused with 429 and lost until the month ends.",
          { amounts },
        )} {mayRaise
        ? <a class="link" href="/instance#organizations">{t("Raise the quota")}</a>
        : t("An administrator of this instance can raise it")} ·{" "}
      <a class="link" href={usage}>
        {t("See the usage")}
      </a>
    </Alert>
  );
}

interface TooLargeBannerProps {
  readonly project: { readonly id: string; readonly name: string };
  /** Of this project, the most first; not empty. */
  readonly lost: readonly TooLarge[];
}

/** What OpenTelemetry's exporters read: by default they send 512 spans at once, and nothing compressed. */
const COMPRESSION = "OTEL_EXPORTER_OTLP_COMPRESSION=gzip";
const BATCH_SIZES: Readonly<Record<string, string>> = {
  span: "OTEL_BSP_MAX_EXPORT_BATCH_SIZE=128",
  log_item: "OTEL_BLRP_MAX_EXPORT_BATCH_SIZE=128",
};

/** Says on a project's pages that it loses what is sent in requests that are too large, and what to set. */
export function TooLargeBanner({ project, lost }: TooLargeBannerProps) {
  const total = lost.reduce((sum, { quantity }) => sum + quantity, 0);
  const sizes = lost.flatMap(({ category }) => BATCH_SIZES[category] ?? []);
  const id = `too-large-${project.id}`;
  return (
    <Alert
      kind="warning"
      class="mb-4"
      title={t(
        "{project}: {items} was refused as too large in the last hour|{project}: {items} were refused as too large in the last hour",
        { n: total, project: project.name, items: lost.map(amountOf).join(", ") },
      )}
    >
      {sizes.length === 0 ? `${t("Send less in one request, or compress it.")} ` : (
        <>
          {t("Set this where the application is started:")}
          <div class="my-1 flex items-start gap-2">
            <pre
              id={id}
              class="min-w-0 overflow-x-auto text-sm"
            >{[COMPRESSION, ...sizes].join("\n")}</pre>
            <CopyButton target={id} what={t("settings")} isCompact />
          </div>
        </>
      )}
      <a class="link" href={`/projects/${project.id}/settings/keys#doctor`}>
        {t("See the requests")}
      </a>
    </Alert>
  );
}

const LOST_ITEMS: Readonly<Record<string, Message>> = {
  attachment: message("{n} attachment|about {n} attachments"),
  error: message("{n} error|about {n} errors"),
  feedback: message("{n} feedback|about {n} feedback"),
  log_item: message("{n} log|about {n} logs"),
  profile: message("{n} profile|about {n} profiles"),
  profile_chunk: message("{n} profile chunk|about {n} profile chunks"),
  session: message("{n} session|about {n} sessions@@release health"),
  span: message("{n} span|about {n} spans"),
  trace_metric: message("{n} metric|about {n} metrics"),
  transaction: message("{n} transaction|about {n} transactions"),
  unknown: message("{n} request|about {n} requests"),
};

/** `about 742 spans`: what nobody unpacked is estimated. */
function amountOf({ category, quantity }: TooLarge): string {
  const known = Object.hasOwn(LOST_ITEMS, category) ? LOST_ITEMS[category] : undefined;
  return t(known ?? "{n} item|about {n} items", { n: quantity });
}
