import { message, rich, t } from "../core/language/translate.ts";
import { firstEvent } from "../errors/mod.ts";
import { dsn, type IngestKey, type KeyType } from "../accounts/keys.ts";
import { findProject } from "../accounts/projects.ts";
import { findUnwatchedHost, siteUrl } from "../sites/mod.ts";
import type { Sql } from "../store/database.ts";
import type { Backend } from "../store/stores.ts";
import { CodeBlock } from "../ui/components/code_block.tsx";
import { Alert } from "../ui/components/panel.tsx";
import { newMonitorPath } from "../ui/links.ts";
import {
  firstErrorView,
  type FirstEventView,
  firstOtherView,
  type FirstRecord,
  firstRecordView,
} from "./first_event.tsx";
import type { Snippet } from "./snippets/mod.ts";

interface StepsProps {
  readonly snippet: Snippet;
  /** What is filled in. */
  readonly dsn: string;
}

/** What to do, in order, each with something to copy. */
export function Steps({ snippet, dsn }: StepsProps) {
  const { isChoice = false } = snippet;
  const List = isChoice ? "ul" : "ol";
  return (
    <List class="space-y-5 p-4">
      {snippet.steps(dsn).map(({ title, note, language, code }, index) => (
        <li key={title}>
          <h2 class="font-semibold">{isChoice ? title : `${index + 1}. ${title}`}</h2>
          {note && <p class="text-sm text-muted wrap-anywhere">{note}</p>}
          <div class="mt-2">
            <CodeBlock id={`step-${index + 1}`} label={title} language={language} code={code} />
          </div>
        </li>
      ))}
    </List>
  );
}

interface NoFittingKeyProps {
  readonly snippet: Pick<Snippet, "label" | "key">;
  readonly keysHref: string;
}

const CREATE_KEY = {
  server: message("<a>Create or enable a server key</a>; the zeros below stand for it."),
  browser: message("<a>Create or enable a browser key</a>; the zeros below stand for it."),
  site: message("<a>Create or enable a site key</a>; the zeros below stand for it."),
} as const;

/** Above snippets that none of the project's keys fits. */
export function NoFittingKey({ snippet: { label, key }, keysHref }: NoFittingKeyProps) {
  const isForServers = key === "server";
  const title = isForServers
    ? t("{label} needs a server key", { label: t(label) })
    : t("{label} need a site key or a browser key", { label: t(label) });
  return (
    <div class="p-4 pb-0">
      <Alert kind="warning" title={title}>
        {isForServers
          ? t(
            "This project's active keys are for web pages, where everybody can read them, and would be answered with 403.",
          )
          : t(
            "This project's active keys are for servers, may send everything, and must not stand in a page.",
          )} {rich(CREATE_KEY[key], {
            a: (words: string) => <a href={keysHref} class="link">{words}</a>,
          })}
      </Alert>
    </div>
  );
}

/** Above snippets for sites while the project has no site key, but one that does for pages alone. */
export function NoSiteKey({ keysHref }: Pick<NoFittingKeyProps, "keysHref">) {
  return (
    <div class="p-4 pb-0">
      <Alert kind="info" title={t("This is the browser key: enough for pages")}>
        {rich(
          "An extension of a shop or CMS sends from the server as well. <a>Create a site key</a> for it, which both halves can share; it stands here then.",
          { a: (words) => <a href={keysHref} class="link">{words}</a> },
        )}
      </Alert>
    </div>
  );
}

/** Stands in the snippets where nobody may see or use a key. */
const PLACEHOLDER_KEY = "0".repeat(32);

interface SnippetDsnInput {
  /** Active keys of the project; none for people who may not see them. */
  readonly keys: readonly IngestKey[];
  readonly projectId: string;
  /** `config.baseUrl` */
  readonly baseUrl: string;
  readonly snippet: Pick<Snippet, "key" | "isKeyStrict">;
}

/**
 * The DSN that a snippet shows: that of the right kind of key, or of any where any will do; else one with a key of
 * zeros, which is nobody's.
 */
export function snippetDsn({ keys, projectId, baseUrl, snippet }: SnippetDsnInput): string {
  const key = rightKey(keys, snippet) ?? (snippet.isKeyStrict ? undefined : keys[0]);
  if (key !== undefined) return dsn(baseUrl, key);
  const { protocol, host, pathname } = new URL(baseUrl);
  return `${protocol}//${PLACEHOLDER_KEY}@${host}${pathname.replace(/\/+$/, "")}/${projectId}`;
}

/** The key of the kind that a snippet asks for; for a site, a browser key will do for its pages. */
function rightKey(
  keys: readonly IngestKey[],
  { key }: Pick<Snippet, "key">,
): IngestKey | undefined {
  const ofType = (wanted: KeyType) => keys.find(({ type }) => type === wanted);
  return ofType(key) ?? (key === "site" ? ofType("browser") : undefined);
}

type KeysAndSnippet = Pick<SnippetDsnInput, "keys" | "snippet">;

/** Whether the project has keys, but none that a snippet can do with. */
export function lacksKey({ keys, snippet }: KeysAndSnippet): boolean {
  return (snippet.isKeyStrict ?? false) && keys.length > 0 && rightKey(keys, snippet) === undefined;
}

/** Whether a snippet for sites has to do with a browser key. */
export function lacksSiteKey({ keys, snippet }: KeysAndSnippet): boolean {
  return snippet.key === "site" && rightKey(keys, snippet)?.type === "browser";
}

/**
 * The first data of a project: an error, else a trace, else a log, else whatever it was; with the site that it is about,
 * once its pages have named it and until a monitor checks it. Null: there is none yet, or a store does not answer just
 * now.
 */
export async function lookForFirstEvent(
  { kv, sql, log }: Pick<Backend, "kv" | "sql" | "log">,
  projectId: string,
): Promise<FirstEventView | null> {
  try {
    const first = await firstData({ kv, sql }, projectId);
    if (first === null) return null;
    const host = await findUnwatchedHost(sql, projectId).catch((error) => {
      log.warn("cannot look for the site of a project", { project: projectId, error });
      return null;
    });
    if (host === null) return first;
    return { ...first, site: { host, href: newMonitorPath(projectId, siteUrl(host)) } };
  } catch (error) {
    log.warn("cannot look for the first event", { project: projectId, error: String(error) });
    return null;
  }
}

async function firstData(
  { kv, sql }: Pick<Backend, "kv" | "sql">,
  projectId: string,
): Promise<FirstEventView | null> {
  const error = await firstEvent(sql, projectId);
  if (error !== null) return firstErrorView(projectId, error);
  const record = await firstRecord(sql, projectId);
  if (record !== null) return firstRecordView(projectId, record);
  const receivedAt = (await findProject(kv, projectId))?.firstEventAt ?? null;
  return receivedAt && firstOtherView(receivedAt);
}

interface Row {
  readonly kind: FirstRecord["kind"];
  readonly traceId: string | null;
  readonly timestamp: Date;
}

/** The oldest transaction of a project, else some of its spans, else its oldest log; null when it has none of them. */
async function firstRecord(sql: Sql, projectId: string): Promise<FirstRecord | null> {
  const rows = await sql<Row[]>`
    (
      select 'transaction' as kind, trace_id::text as "traceId", "timestamp" from transactions
      where project_id = ${projectId} order by "timestamp" limit 1
    ) union all (
      select 'spans', trace_id::text, "timestamp" from span_batches
      where project_id = ${projectId} limit 1
    ) union all (
      select 'log', null, "timestamp" from logs
      where project_id = ${projectId} order by "timestamp" limit 1
    )
  `;
  const row = rows.find(({ kind }) => kind === "transaction") ??
    rows.find(({ kind }) => kind === "spans") ?? rows[0];
  if (row === undefined) return null;
  const { kind, traceId, timestamp } = row;
  if (kind === "log" || traceId === null) return { kind: "log", timestamp };
  return { kind, traceId: traceId.replaceAll("-", ""), timestamp };
}
