import { Badge } from "../../ui/components/badge.tsx";
import { Button } from "../../ui/components/button.tsx";
import { Icon } from "../../ui/components/icon.tsx";
import { Panel } from "../../ui/components/panel.tsx";
import { RelativeTime } from "../../ui/components/values.tsx";
import { visible } from "../../ui/json.ts";
import { issuePath, trackersPath } from "../../ui/links.ts";
import { CONTROL_LOOK } from "../../ui/components/fields.tsx";
import type { Sql } from "../../store/database.ts";
import { type Connection, listConnections } from "./connections.ts";
import { type IssueLink, linksOfIssue } from "./issue_links.ts";
import { TRACKER_KINDS } from "./tracker_types.ts";
import { rich, t } from "../../core/language/translate.ts";

/** What the issue page shows of trackers. */
export interface TrackerLinksData {
  readonly links: readonly IssueLink[];
  readonly connections: readonly Connection[];
}

export async function loadTrackerLinks(
  sql: Sql,
  projectId: string,
  issueId: string,
): Promise<TrackerLinksData> {
  const [links, connections] = await Promise.all([
    linksOfIssue(sql, projectId, issueId),
    listConnections(sql, projectId),
  ]);
  return { links, connections };
}

interface TrackerLinksProps extends TrackerLinksData {
  readonly projectId: string;
  readonly issueId: string;
  readonly mayWrite: boolean;
  /** Path to come back to. */
  readonly back: string;
  readonly class?: string;
}

/** The issues of trackers that an issue is linked to, and the ways to more. */
export function TrackerLinks(props: TrackerLinksProps) {
  const { projectId, issueId, links, connections, mayWrite, back } = props;
  if (links.length === 0 && !mayWrite) return null;
  const action = `${issuePath(projectId, issueId)}/links`;
  return (
    <Panel
      title={t("Linked issues")}
      id="links"
      {...props.class === undefined ? {} : { class: props.class }}
    >
      {links.length === 0
        ? <p class="text-sm text-muted">{t("Not linked to any tracker yet.")}</p>
        : (
          <ul class="divide-y divide-line">
            {links.map((link) => (
              <LinkRow key={link.id} link={link} action={mayWrite ? action : null} back={back} />
            ))}
          </ul>
        )}
      {mayWrite && (
        <div class="mt-3 flex flex-wrap items-end gap-x-4 gap-y-3 border-t border-line pt-3">
          <AttachForm action={action} back={back} />
          <Ways connections={connections} action={action} projectId={projectId} />
        </div>
      )}
    </Panel>
  );
}

interface LinkRowProps {
  readonly link: IssueLink;
  /** Null for who may only look. */
  readonly action: string | null;
  readonly back: string;
}

function LinkRow({ link, action, back }: LinkRowProps) {
  const { key, url, title, trackerName, createdBy, createdAt, closeError } = link;
  return (
    <li class="flex flex-wrap items-center gap-x-3 gap-y-1 py-2">
      <div class="min-w-0 flex-1 basis-60">
        <p class="flex min-w-0 flex-wrap items-center gap-x-2">
          <a class="link font-medium wrap-anywhere" href={url} rel="noopener noreferrer nofollow">
            <bdi>{visible(key)}</bdi>
          </a>
          <StateBadge link={link} />
        </p>
        {title !== "" && <p class="truncate text-sm" title={visible(title)}>{visible(title)}</p>}
        <p class="text-meta text-muted">
          {trackerName !== null && `${trackerName} · `}
          {createdBy === ""
            ? rich("linked {time}", { time: <RelativeTime date={createdAt} /> })
            : rich("linked {time} by {person}", {
              time: <RelativeTime date={createdAt} />,
              person: createdBy,
            })}
        </p>
        {closeError !== "" && (
          <p class="flex items-start gap-1 text-sm text-danger wrap-anywhere">
            <Icon name="error" size={14} class="mt-[3px]" />
            <span>{t("Not closed there: {reason}", { reason: visible(closeError) })}</span>
          </p>
        )}
      </div>
      {action !== null && (
        <form method="post" action={action}>
          <input type="hidden" name="back" value={back} />
          <input type="hidden" name="link" value={link.id} />
          <Button
            size="sm"
            name="action"
            value="unlink"
            aria-label={t("Unlink {key}", { key: visible(key) })}
          >
            {t("Unlink")}
          </Button>
        </form>
      )}
    </li>
  );
}

function StateBadge({ link: { state } }: { readonly link: IssueLink }) {
  switch (state) {
    case "open":
      return <Badge tone="warning" icon="issues">{t("open")}</Badge>;
    case "closed":
      return <Badge tone="ok" icon="check">{t("closed")}</Badge>;
    case "unknown":
      return null;
  }
}

function AttachForm({ action, back }: { readonly action: string; readonly back: string }) {
  return (
    <form method="post" action={action} class="flex min-w-0 flex-1 basis-72 items-end gap-2">
      <input type="hidden" name="back" value={back} />
      <div class="min-w-0 flex-1">
        <label for="link-url" class="mb-1 block text-meta text-muted">{t("Address or key")}</label>
        <input
          id="link-url"
          name="url"
          class={`${CONTROL_LOOK} h-8 text-sm`}
          placeholder="https://github.com/acme/shop/issues/12"
          autocomplete="off"
          required
        />
      </div>
      <Button name="action" value="attach">{t("Link")}</Button>
    </form>
  );
}

interface WaysProps {
  readonly connections: readonly Connection[];
  readonly action: string;
  readonly projectId: string;
}

/** A new issue in each of the trackers, made from here or by their own form. */
function Ways({ connections, action, projectId }: WaysProps) {
  if (connections.length === 0) {
    return (
      <p class="text-sm text-muted">
        {rich("<a>Set up a tracker</a> to make issues there from here.", {
          a: (words) => <a class="link" href={trackersPath(projectId)}>{words}</a>,
        })}
      </p>
    );
  }
  return (
    <ul class="flex flex-wrap gap-x-4 gap-y-1 text-sm">
      {connections.map(({ connectionId, name, type }) => (
        <li key={connectionId} class="flex flex-wrap items-center gap-x-2">
          <span class="text-muted">{t("New in {name}:", { name })}</span>
          {TRACKER_KINDS[type].api !== null && (
            <a class="link" href={`${action}?tracker=${connectionId}`}>{t("Create")}</a>
          )}
          <a
            class="link"
            href={`${action}?tracker=${connectionId}&form=1`}
            target="_blank"
            rel="noopener"
          >
            {t("Open filled form")}
          </a>
        </li>
      ))}
    </ul>
  );
}
