/** A project's data as files: asked for, downloaded, brought back. */
import { message, t } from "../core/language/translate.ts";
import { Badge } from "../ui/components/badge.tsx";
import { Button, LinkButton } from "../ui/components/button.tsx";
import {
  CONTROL_LOOK,
  Field,
  FieldFrame,
  fieldId,
  type FormErrors,
  FormSummary,
} from "../ui/components/fields.tsx";
import { Alert, EmptyState, Panel } from "../ui/components/panel.tsx";
import { RelativeTime } from "../ui/components/values.tsx";
import { formatBytes, formatExact, formatPercent } from "../ui/format.ts";
import { failureWords } from "./failure_words.ts";
import { isThere, type Transfer } from "./transfers.ts";
import { shareOf } from "./work.ts";

export interface TransfersView {
  readonly path: string;
  readonly transfers: readonly Transfer[];
  /** Of the form that was refused. */
  readonly refused: "export" | "import" | null;
  readonly errors: FormErrors;
  readonly values: { readonly start: string; readonly end: string };
}

export function Transfers(view: TransfersView) {
  return (
    <>
      <ExportPanel {...view} />
      <ImportPanel {...view} />
      <ListPanel {...view} />
    </>
  );
}

function ExportPanel({ refused, errors, values }: TransfersView) {
  return (
    <Panel
      title={t("Export@@noun")}
      id="export"
      description={t(
        "Events, issues and feedback in Sentry's shape, spans, logs and metrics as OTLP, profiles as pprof, and releases, runs of cron jobs, sessions and settings: open formats in one archive. It can be downloaded for seven days.",
      )}
    >
      <form method="post" class="space-y-4">
        {refused === "export" && <FormSummary errors={errors} />}
        <div class="grid gap-4 sm:grid-cols-2">
          <Field
            name="start"
            type="date"
            label={t("From")}
            isOptional
            value={values.start}
            error={refused === "export" ? errors.start : undefined}
          />
          <Field
            name="end"
            type="date"
            label={t("Up to and including")}
            isOptional
            value={values.end}
            error={refused === "export" ? errors.end : undefined}
          />
        </div>
        <p class="text-sm text-muted">{t("Days are in UTC. Empty: all that is stored.")}</p>
        <Button kind="primary" name="action" value="export">{t("Export@@verb")}</Button>
      </form>
    </Panel>
  );
}

function ImportPanel({ refused, errors, path }: TransfersView) {
  return (
    <Panel
      title={t("Import@@noun")}
      id="import"
      description={t(
        "An export of Watchpost, files of an OpenTelemetry Collector, or saved pages of the APIs of Sentry, GlitchTip and Bugsink. What is there already stays as it is; what is older than the retention is counted and left out.",
      )}
    >
      <form method="post" enctype="multipart/form-data" class="space-y-4">
        {refused === "import" && <FormSummary errors={errors} />}
        <FieldFrame
          id={fieldId("file")}
          label={t("File")}
          help={t("Up to 50 MB: zip, gzip, JSON or JSON lines. Larger ones: deno task import.")}
          error={refused === "import" ? errors.file : undefined}
        >
          <input
            type="file"
            id={fieldId("file")}
            name="file"
            class={`${CONTROL_LOOK} py-1.5`}
            required
          />
        </FieldFrame>
        <div class="flex flex-wrap gap-2">
          <Button>{t("Import@@verb")}</Button>
          <Button formaction={`${path}?settings=true`}>{t("Import with settings")}</Button>
        </div>
        <p class="text-sm text-muted">
          {t(
            "Settings, alerts, monitors, dashboards, shared searches and discarded groups of an export are taken where nothing here is set or called so. Secrets and channels are not in it.",
          )}
        </p>
      </form>
    </Panel>
  );
}

function ListPanel({ transfers, path }: TransfersView) {
  return (
    <Panel
      title={t("Exports and imports")}
      id="transfers"
      actions={transfers.some(({ state }) => state === "waiting") && (
        <LinkButton size="sm" href={path}>{t("Refresh")}</LinkButton>
      )}
      flush
    >
      {transfers.length === 0
        ? (
          <EmptyState title={t("Nothing asked for yet")}>
            {t("Exports stand here until they expire, and imports with what became of them.")}
          </EmptyState>
        )
        : (
          <ul>
            {transfers.map((transfer) => <Row key={transfer.id} transfer={transfer} path={path} />)}
          </ul>
        )}
    </Panel>
  );
}

function Row({ transfer, path }: { readonly transfer: Transfer; readonly path: string }) {
  const { kind, label, askedBy, askedAt, counts, sizeBytes, lastError, expiresAt } = transfer;
  return (
    <li class="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line px-4 py-3 last:border-b-0">
      <div class="min-w-0 grow">
        <p class="font-medium wrap-anywhere">
          {kind === "export" ? t("Export@@noun") : t("Import@@noun")}
          {label !== "" && ` · ${label}`} <StateBadge transfer={transfer} />
        </p>
        <p class="text-sm text-muted wrap-anywhere">
          {askedBy} · <RelativeTime date={askedAt} />
          {kind === "export" && sizeBytes > 0 && ` · ${formatBytes(sizeBytes)}`}
        </p>
        <CountList counts={counts} />
        {lastError !== "" && <Alert kind="warning">{failureWords(lastError)}</Alert>}
      </div>
      {isThere(transfer) && (
        <div class="sm:text-right">
          <LinkButton size="sm" href={`${path}/${transfer.id}`}>{t("Download")}</LinkButton>
          {expiresAt !== null && (
            <p class="mt-1 text-xs text-muted">
              {t("until {day}", { day: expiresAt.toISOString().slice(0, 10) })}
            </p>
          )}
        </div>
      )}
    </li>
  );
}

/** What is counted, in words; others are shown as they are called. */
const WORDS = {
  issues: message("Issues"),
  comments: message("Comments"),
  releases: message("Releases"),
  commits: message("Commits"),
  deploys: message("Deploys"),
  events: message("Events"),
  attachments: message("Attachments"),
  transactions: message("Transactions"),
  spans: message("Spans"),
  logs: message("Logs"),
  metric_points: message("Data points"),
  profiles: message("Profiles"),
  feedback: message("Feedback"),
  runs: message("Runs of cron jobs"),
  sessions: message("Sessions"),
  source_maps: message("Files of source maps"),
  incidents: message("Incidents of monitors"),
  uptime_checks: message("Results of uptime checks"),
  uptime_hours: message("Hours of uptime monitors"),
  alert_history: message("Entries of histories of alerts"),
  settings: message("Settings"),
  there_already: message("There already"),
  too_old: message("Older than the retention"),
  dropped: message("Dropped by filters and limits"),
  unreadable: message("Not readable"),
  issues_without_events: message("Issues without events: not made"),
  events_elsewhere: message("Counted elsewhere, events not in the file"),
  histories_left_out: message("Of monitors, alerts or issues that are not here"),
  files_left_out: message("Files left out"),
  settings_left_out: message("Settings left out"),
  settings_refused: message("Settings that do not fit here"),
} as const;

function CountList({ counts }: Pick<Transfer, "counts">) {
  const known = Object.entries(WORDS).filter(([name]) => (counts[name] ?? 0) > 0);
  if (known.length === 0) return null;
  return (
    <dl class="mt-1 flex flex-wrap gap-x-4 gap-y-0.5 text-sm">
      {known.map(([name, word]) => (
        <div key={name} class="flex gap-1.5">
          <dt class="text-muted">{t(word)}</dt>
          <dd class="tabular-nums">{formatExact(counts[name] ?? 0)}</dd>
        </div>
      ))}
    </dl>
  );
}

function StateBadge({ transfer }: { readonly transfer: Transfer }) {
  if (transfer.state === "failed") {
    return <Badge tone="danger" icon="error">{t("failed@@job")}</Badge>;
  }
  if (transfer.state === "done") return <Badge tone="ok" icon="ok">{t("done@@job")}</Badge>;
  const share = shareOf(transfer);
  return (
    <Badge tone="info">
      {share === null ? t("under way") : t("under way, {share}", { share: formatPercent(share) })}
    </Badge>
  );
}
