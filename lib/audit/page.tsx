/** The audit log as a page shows it: a filter, the entries, and both ways to take them along. */
import { t } from "../core/language/translate.ts";
import type { AuditChange, AuditEntry } from "../records/audit.ts";
import type { CursorPage } from "../store/query_limits.ts";
import { Badge } from "../ui/components/badge.tsx";
import { Button, LinkButton } from "../ui/components/button.tsx";
import { Field, Select } from "../ui/components/fields.tsx";
import { EmptyState, Panel } from "../ui/components/panel.tsx";
import { CursorPages } from "../ui/components/table.tsx";
import { ExactTime } from "../ui/components/values.tsx";
import { queryHref } from "../ui/links.ts";
import { AUDIT_EVENTS, sentenceOf } from "./events.ts";
import { fieldWords } from "./field_words.ts";
import { type AuditFilterTexts, filterParams, isFiltered } from "./filter.ts";

export interface AuditView {
  /** Where the page is, without its query. */
  readonly path: string;
  readonly texts: AuditFilterTexts;
  readonly log: CursorPage<AuditEntry>;
  /** For the filter's lists. */
  readonly actors: readonly string[];
  readonly projects: readonly { readonly id: string; readonly name: string }[];
  /** By id; of the instance's log alone, which tells of all of them. */
  readonly organizations: ReadonlyMap<string, string> | null;
}

/** Filter, entries and exports. */
export function AuditLog(view: AuditView) {
  const { path, texts, log } = view;
  const params = filterParams(texts);
  const exportHref = (format: string) =>
    queryHref(`${path}/export`, [...params, ["format", format]]);
  return (
    <Panel
      title={t("Audit log")}
      id="audit-log"
      description={t(
        "Who changed what, from what to what, when and from where. Kept for 400 days; nobody can change it.",
      )}
      actions={
        <>
          <LinkButton size="sm" href={exportHref("csv")}>CSV</LinkButton>
          <LinkButton size="sm" href={exportHref("jsonl")}>{t("JSON lines")}</LinkButton>
        </>
      }
      flush
    >
      <FilterForm {...view} />
      {log.rows.length === 0
        ? (
          <EmptyState
            title={isFiltered(texts) ? t("No entries match") : t("No entries yet")}
            actions={isFiltered(texts) &&
              <LinkButton href={path}>{t("Show all entries")}</LinkButton>}
          >
            {isFiltered(texts)
              ? t("Choose a longer time, or filter for less.")
              : t("Every change of a setting, a member, a key or a rule will be listed here.")}
          </EmptyState>
        )
        : (
          <>
            <ol>
              {log.rows.map((entry) => (
                <EntryRow key={entry.id} entry={entry} organizations={view.organizations} />
              ))}
            </ol>
            <CursorPages
              page={log}
              hrefOf={(cursor) => queryHref(path, [...params, ["cursor", cursor]])}
              label={t("Pages of the audit log")}
            />
          </>
        )}
    </Panel>
  );
}

function FilterForm({ path, texts, actors, projects }: AuditView) {
  const known = texts.actor === "" || actors.includes(texts.actor)
    ? actors
    : [texts.actor, ...actors];
  return (
    <form
      method="get"
      action={path}
      class="grid items-end gap-3 border-b border-line px-4 py-3 sm:grid-cols-2 lg:grid-cols-4"
    >
      <Select
        name="event"
        label={t("Event@@audit")}
        value={texts.event}
        options={[{ value: "", label: t("All events") }, ...eventOptions()]}
      />
      <Select
        name="actor"
        label={t("Who")}
        value={texts.actor}
        options={[
          { value: "", label: t("Everybody") },
          ...known.map((label) => ({ value: label, label })),
        ]}
      />
      {projects.length > 0 && (
        <Select
          name="project"
          label={t("Project")}
          value={texts.project}
          options={[
            { value: "", label: t("All projects") },
            ...projects.map(({ id, name }) => ({ value: id, label: name })),
          ]}
        />
      )}
      <Field
        name="target"
        label={t("What it was done to")}
        type="search"
        value={texts.target}
        placeholder={t("Part of a name, or an id")}
        maxLength={200}
      />
      <Field
        name="from"
        label={t("From day")}
        value={texts.from}
        placeholder="2026-11-01"
        maxLength={10}
        autocomplete="off"
      />
      <Field
        name="to"
        label={t("To day")}
        value={texts.to}
        placeholder="2026-11-30"
        maxLength={10}
        autocomplete="off"
      />
      <div class="flex gap-2">
        <Button>{t("Filter")}</Button>
        {isFiltered(texts) && <LinkButton href={path}>{t("Reset")}</LinkButton>}
      </div>
    </form>
  );
}

/** Groups of events, such as `project.`, before the single ones. */
function eventOptions() {
  const names = Object.keys(AUDIT_EVENTS);
  const groups = [...new Set(names.map((name) => `${name.split(".", 1)[0]}.`))];
  return [
    ...groups.map((group) => ({ value: group, label: `${group}*` })),
    ...names.map((name) => ({ value: name, label: name })),
  ];
}

interface EntryRowProps {
  readonly entry: AuditEntry;
  readonly organizations: AuditView["organizations"];
}

function EntryRow({ entry, organizations }: EntryRowProps) {
  const { by, event, target, at, organizationId } = entry;
  const changes = Object.entries(entry.changes);
  const organization = organizationId && organizations?.get(organizationId);
  return (
    <li class="grid gap-x-6 gap-y-1 border-b border-line px-4 py-2.5 last:border-b-0 md:grid-cols-[minmax(0,1fr)_minmax(0,15rem)]">
      <div class="min-w-0">
        <p class="font-medium wrap-anywhere">{sentenceOf(event, target.label)}</p>
        <p class="text-meta text-muted wrap-anywhere">
          <code>{event}</code>
          {organization && <>· {organization}</>}
        </p>
        {changes.length > 0 && <Changes changes={changes} />}
      </div>
      <div class="min-w-0 text-sm">
        <p class="wrap-anywhere">
          {by.label} {by.kind !== "user" && <Badge>{kindWord(by.kind)}</Badge>}
        </p>
        <p class="text-muted">
          <ExactTime date={at} />
        </p>
        {by.address && (
          <p class="text-meta text-muted">
            <span class="tabular-nums">{by.address}</span>
            {by.userAgent && (
              <span class="block truncate" title={by.userAgent}>{by.userAgent}</span>
            )}
          </p>
        )}
      </div>
    </li>
  );
}

function kindWord(kind: AuditEntry["by"]["kind"]): string {
  switch (kind) {
    case "token":
      return t("API token");
    case "organization_token":
      return t("Organization token");
    case "scim":
      return "SCIM";
    case "instance":
      return t("Instance token");
    case "system":
      return t("by itself");
    case "nobody":
      return t("not signed in");
    case "user":
      return t("Person");
  }
}

/** More would push the next entries off the screen. */
const OPEN_CHANGES = 3;

function Changes({ changes }: { readonly changes: readonly [string, AuditChange][] }) {
  const list = (
    <dl class="mt-1 space-y-0.5 text-sm">
      {changes.map(([name, [before, after]]) => (
        <div key={name} class="flex min-w-0 flex-wrap gap-x-2">
          <dt class="text-muted">{fieldWords(name)}</dt>
          <dd class="min-w-0 wrap-anywhere">
            <Value value={before} /> <span aria-hidden="true" class="text-muted">→</span>{" "}
            <span class="sr-only">{t("became")}</span> <Value value={after} />
          </dd>
        </div>
      ))}
    </dl>
  );
  if (changes.length <= OPEN_CHANGES) return list;
  return (
    <details class="text-sm">
      <summary class="text-accent">
        {t("{n} changed field|{n} changed fields", { n: changes.length })}
      </summary>
      {list}
    </details>
  );
}

function Value({ value }: { readonly value: unknown }) {
  if (value === null || value === undefined) {
    return <span class="text-muted">{t("nothing@@value")}</span>;
  }
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return <code class="whitespace-pre-wrap">{text === "" ? "“”" : text}</code>;
}
