/** Data of one end user: looked up, exported, deleted; and what was asked for before. */
import { t } from "../core/language/translate.ts";
import { Badge } from "../ui/components/badge.tsx";
import { Button, LinkButton } from "../ui/components/button.tsx";
import {
  CONFIRM_FIELD,
  ConfirmByName,
  Field,
  type FormErrors,
  FormSummary,
  Select,
} from "../ui/components/fields.tsx";
import { Alert, EmptyState, Panel } from "../ui/components/panel.tsx";
import { RowTable } from "../ui/components/table.tsx";
import { RelativeTime } from "../ui/components/values.tsx";
import { formatExact, formatPercent } from "../ui/format.ts";
import { IDENTITY_KINDS, type IdentityKind } from "./identity.ts";
import type { Job } from "./jobs.ts";
import { StoredPanel } from "./stored_panel.tsx";
import { MOST, type ProjectSummary } from "./summary.ts";
import { shareOf } from "./work.ts";

export interface EndUsersView {
  readonly path: string;
  readonly kind: string;
  readonly value: string;
  readonly errors: FormErrors;
  /** Null: nobody was looked up. */
  readonly found: readonly ProjectSummary[] | null;
  readonly jobs: readonly Job[];
  readonly retentionDays: number;
}

export function EndUsers(view: EndUsersView) {
  return (
    <>
      <SearchPanel {...view} />
      {view.found && <FoundPanel {...view} found={view.found} />}
      <JobsPanel {...view} />
      <StoredPanel retentionDays={view.retentionDays} />
    </>
  );
}

function kindWord(kind: IdentityKind): string {
  switch (kind) {
    case "id":
      return t("User ID");
    case "email":
      return t("Email");
    case "username":
      return t("User name");
    case "ip":
      return t("IP address");
  }
}

function SearchPanel({ kind, value, errors }: EndUsersView) {
  return (
    <Panel
      title={t("Find an end user")}
      id="find"
      description={t(
        "A person who uses your programs, by what the programs send of them; in all projects of the organization.",
      )}
    >
      <form method="post" class="max-w-2xl space-y-4">
        <FormSummary errors={errors} />
        <div class="grid gap-3 sm:grid-cols-[10rem_1fr]">
          <Select
            name="kind"
            label={t("Search by")}
            value={kind}
            options={IDENTITY_KINDS.map((each) => ({ value: each, label: kindWord(each) }))}
          />
          <Field
            name="value"
            label={t("Identifier")}
            value={value}
            error={errors.value}
            maxLength={200}
            autocomplete="off"
            required
          />
        </div>
        <Button kind="primary" name="action" value="find">{t("Find")}</Button>
      </form>
    </Panel>
  );
}

function FoundPanel({ kind, value, errors, found }: EndUsersView & {
  readonly found: readonly ProjectSummary[];
}) {
  return (
    <Panel title={t("Stored of {value}", { value })} id="found">
      {found.length === 0
        ? (
          <p class="text-muted">
            {t(
              "No project has events, transactions, feedback or sessions of this identifier. Logs are searched by the export.",
            )}
          </p>
        )
        : (
          <RowTable
            caption={t("Stored data by project")}
            rows={found}
            isWide
            rowKey={({ project }) => project.id}
            columns={[
              { label: t("Project"), cell: ({ project }) => project.name },
              { label: t("Issues"), align: "right", cell: ({ issues }) => upTo(issues) },
              { label: t("Events"), align: "right", cell: ({ events }) => upTo(events) },
              { label: t("Transactions"), align: "right", cell: (row) => upTo(row.transactions) },
              { label: t("Feedback"), align: "right", cell: ({ feedback }) => upTo(feedback) },
              { label: t("Session days"), align: "right", cell: ({ sessions }) => upTo(sessions) },
            ]}
          />
        )}
      <div class="mt-4 flex flex-wrap items-start gap-3">
        <form method="post">
          <input type="hidden" name="kind" value={kind} />
          <input type="hidden" name="value" value={value} />
          <Button name="action" value="export">{t("Export everything")}</Button>
        </form>
        <ConfirmByName
          name={value}
          action={t("Delete everything")}
          consequence={t(
            "Events, transactions with their spans and profiles, feedback, attachments, sessions and logs of this identifier are deleted in all projects, for good. What programs send later is stored again, and so is what waits in the spool.",
          )}
          fields={{ action: "erase", kind, value }}
          error={errors[CONFIRM_FIELD]}
          idPrefix="erase-"
        />
      </div>
    </Panel>
  );
}

function upTo(count: number | null): string {
  if (count === null) return "–";
  return count >= MOST ? `${formatExact(MOST)}+` : formatExact(count);
}

function JobsPanel({ jobs, path }: EndUsersView) {
  return (
    <Panel
      title={t("Exports and deletions")}
      id="jobs"
      description={t(
        "Receipts are kept for as long as the organization; they hold a hash of the identifier and not the identifier.",
      )}
      actions={jobs.some(({ state }) => state === "waiting") && (
        <LinkButton size="sm" href={path}>{t("Refresh")}</LinkButton>
      )}
      flush
    >
      {jobs.length === 0
        ? (
          <EmptyState title={t("Nothing asked for yet")}>
            {t("Find an end user to export or delete what is stored of them.")}
          </EmptyState>
        )
        : <ul>{jobs.map((job) => <JobRow key={job.id} job={job} path={path} />)}</ul>}
    </Panel>
  );
}

function JobRow({ job, path }: { readonly job: Job; readonly path: string }) {
  const total = Object.values(job.counts).flatMap((counts) => Object.values(counts))
    .reduce((sum, count) => sum + count, 0);
  return (
    <li class="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line px-4 py-3 last:border-b-0">
      <div class="min-w-0 grow">
        <p class="font-medium wrap-anywhere">
          {job.kind === "export" ? t("Export@@noun") : t("Deletion")} · {kindWord(job.identityKind)}
          {" "}
          <code>{job.identityHash.slice(0, 12)}…</code> <StateBadge job={job} />
        </p>
        <p class="text-sm text-muted wrap-anywhere">
          {job.askedBy} · <RelativeTime date={job.askedAt} /> ·{" "}
          {t("{n} record|{n} records", { n: total })}
        </p>
        {job.lastError !== "" && <Alert kind="warning">{job.lastError}</Alert>}
      </div>
      {job.state === "done" && job.expiresAt !== null && (
        <LinkButton size="sm" href={`${path}/${job.id}?file=zip`}>
          {t("Download")}
        </LinkButton>
      )}
      <LinkButton size="sm" href={`${path}/${job.id}`}>{t("Receipt")}</LinkButton>
    </li>
  );
}

function StateBadge({ job }: { readonly job: Job }) {
  if (job.state === "failed") return <Badge tone="danger" icon="error">{t("failed@@job")}</Badge>;
  if (job.state === "done") return <Badge tone="ok" icon="ok">{t("done@@job")}</Badge>;
  return (
    <Badge tone="info">
      {t("under way, {share}", { share: formatPercent(shareOf(job)) })}
    </Badge>
  );
}
