/** Issues of an import: those of Watchpost's exports, and of the APIs of Sentry, GlitchTip and Bugsink. */
import { InvalidInput } from "../core/errors.ts";
import {
  adoptIssue,
  type ForeignComment,
  type ForeignIssue,
  mergeIssues,
  type StatusChange,
} from "../errors/mod.ts";
import { readTime } from "../formats/event_time.ts";
import { readEventId } from "../formats/ids.ts";
import { asObject, type Raw, readCount, readText } from "../formats/fields.ts";
import type { Sql } from "../store/database.ts";
import { cameTo, ofHashes, readSourceId } from "./came_to.ts";
import type { Counts, Transfer } from "./transfers.ts";

interface IssueServices {
  readonly kv: Deno.Kv;
  readonly sql: Sql;
}

/**
 * Makes the issue that the events of an issue elsewhere came to stand as that one did. Several that they came to become
 * one, as it was one there.
 *
 * @param raw as an API gives it out
 * @returns what became of it
 */
export async function takeIssue(
  services: IssueServices,
  transfer: Transfer,
  raw: Raw,
): Promise<Counts> {
  const { projectId, organizationId } = transfer;
  const sourceId = readSourceId(raw.id);
  if (sourceId === undefined) return { unreadable: 1 };
  const came = await cameTo(services.sql, transfer, sourceId);
  // Their events may have come in another file.
  const found = came.length > 0 ? came : await ofHashes(services.sql, projectId, hashesOf(raw));
  // Sentry counts in texts, Bugsink in numbers.
  const seen = readCount(raw.count ?? raw.digested_event_count);
  const [first] = found;
  // Nothing is invented: an issue is what events belong to.
  if (first === undefined) return { issues_without_events: 1, events_elsewhere: seen };
  const events = found.reduce((sum, { events }) => sum + events, 0);
  if (found.length > 1) {
    await mergeIssues(services.sql, projectId, found.map(({ issueId }) => issueId), new Date(), {
      into: first.issueId,
    }).catch((error) => {
      // Some of them are being moved at this moment: they stay apart.
      if (!(error instanceof InvalidInput)) throw error;
    });
  }
  const elsewhere = Math.max(0, seen - events);
  const place = { projectId, organizationId, issueId: first.issueId };
  await adoptIssue(services, place, foreignIssue(raw, sourceId, { seen, events }));
  const comments = commentsOf(raw).length;
  return { issues: 1, comments, events_elsewhere: elsewhere };
}

const MAX_HASHES = 1_000;

function hashesOf({ hashes }: Raw): string[] {
  const list: unknown[] = Array.isArray(hashes) ? hashes : [];
  return list.slice(0, MAX_HASHES).flatMap((each) => readEventId(each) ?? []);
}

function foreignIssue(
  raw: Raw,
  sourceId: string,
  { seen, events }: { readonly seen: number; readonly events: number },
): ForeignIssue {
  const assignee = asObject(raw.assignedTo);
  const [firstSeen, lastSeen] = [
    dateOf(raw.firstSeen ?? raw.first_seen),
    dateOf(raw.lastSeen ?? raw.last_seen),
  ];
  const name = readText(raw.shortId) ?? sourceId;
  const times = [firstSeen, lastSeen].map((time) => time?.toISOString().slice(0, 10) ?? "?");
  return {
    status: statusOf(raw),
    priority: priorityOf(raw),
    assignee: (assignee?.type ?? "user") === "user" ? readText(assignee?.email) ?? "" : "",
    firstSeen,
    lastSeen,
    comments: commentsOf(raw),
    remark: seen > events
      ? `Imported from ${name}: it was seen ${seen} times there, from ${times.join(" to ")}; ` +
        `${events} of its events came along, and nothing else is counted here.`
      : "",
    remarkId: `import:${sourceId}`.slice(0, 100),
  };
}

/** What somebody has chosen: the others follow from the level, here as there. */
function priorityOf({ priority, priorityLockedAt }: Raw): ForeignIssue["priority"] {
  const isChosen = readText(priorityLockedAt) !== undefined;
  return isChosen && (priority === "high" || priority === "medium" || priority === "low")
    ? priority
    : null;
}

function dateOf(value: unknown): Date | null {
  const seconds = readTime(value);
  return seconds === undefined ? null : new Date(seconds * 1_000);
}

function statusOf(raw: Raw): StatusChange | null {
  if (raw.is_resolved === true) return { to: "resolved" };
  if (raw.is_muted === true) return { to: "ignored" };
  switch (raw.status) {
    case "resolved": {
      const version = readText(asObject(raw.statusDetails)?.inRelease) ??
        (asObject(raw.resolution)?.kind === "release"
          ? readText(asObject(raw.resolution)?.version)
          : undefined);
      return version === undefined
        ? { to: "resolved" }
        : { to: "resolved", in: { kind: "release", version } };
    }
    case "ignored":
    case "muted":
      return raw.substatus === "archived_until_escalating"
        ? { to: "ignored", until: { escalating: true } }
        : { to: "ignored", ...untilOf(raw) };
    default:
      return null;
  }
}

/** What is left of the conditions that end an archiving. */
function untilOf(raw: Raw) {
  const snooze = asObject(raw.snooze);
  const until = dateOf(snooze?.until ?? asObject(raw.statusDetails)?.ignoreUntil);
  const count = readCount(snooze?.count);
  const minutes = until === null ? 0 : Math.ceil((until.getTime() - Date.now()) / 60_000);
  const conditions = {
    ...(minutes > 0 && { minutes }),
    ...(count > 0 && { count }),
  };
  return Object.keys(conditions).length > 0 ? { until: conditions } : {};
}

/** Those of an export; Sentry's lists of issues have none. */
function commentsOf(raw: Raw): ForeignComment[] {
  const list = Array.isArray(raw.comments) ? raw.comments : [];
  return list.flatMap((each) => {
    const comment = asObject(each);
    const text = readText(comment?.text)?.trim() ?? "";
    const user = asObject(comment?.user);
    const at = dateOf(comment?.dateCreated);
    if (text === "" || at === null) return [];
    return [{ text, at, name: readText(user?.name) ?? "", email: readText(user?.email) ?? "" }];
  });
}
