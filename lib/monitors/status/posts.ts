/** What people write on a status page: incidents and planned maintenance, each with its updates. */
import { addAudit } from "../../accounts/audit.ts";
import { changesBetween } from "../../records/audit.ts";
import { type Message, message, t } from "../../core/language/translate.ts";
import { v7 } from "uuid";
import { conflict, keyOf, prefixOf, untilCommitted } from "../../accounts/kv.ts";
import { InvalidInput } from "../../core/errors.ts";
import { DAY_MS, isOfCalendar } from "../../core/time.ts";

export const INCIDENT_STATES = ["investigating", "identified", "monitoring", "resolved"] as const;
type IncidentState = typeof INCIDENT_STATES[number];
/** `planned` also while it is under way: that is told by its times. */
export type PostState = IncidentState | "planned" | "completed";

/** How bad an incident is for whoever uses the service. */
export const IMPACTS = ["none", "degraded", "partial", "down"] as const;
export type Impact = typeof IMPACTS[number];

export interface PostUpdate {
  /** UUID v7. */
  readonly updateId: string;
  readonly at: Date;
  /** E-mail address of whoever wrote it; not for the public. */
  readonly by: string;
  readonly state: PostState;
  readonly text: string;
}

export interface StatusPost {
  readonly organizationId: string;
  /** UUID v7. */
  readonly postId: string;
  readonly kind: "incident" | "maintenance";
  readonly title: string;
  /** Keys of the monitors that it is about; see `entryKey()`. */
  readonly entries: readonly string[];
  readonly impact: Impact;
  readonly state: PostState;
  readonly startsAt: Date;
  /** Of maintenance: when it is planned to end. Null for an incident. */
  readonly endsAt: Date | null;
  /** When somebody said that it is over. */
  readonly closedAt: Date | null;
  /** Oldest first; never empty. */
  readonly updates: readonly PostUpdate[];
}

export interface PostInput {
  readonly kind: StatusPost["kind"];
  readonly title: string;
  readonly entries: readonly string[];
  readonly impact: Impact;
  readonly state: PostState;
  readonly text: string;
  /** Of maintenance alone. */
  readonly times: { readonly startsAt: Date; readonly endsAt: Date } | null;
}

export const MAX_TITLE = 120;
export const MAX_TEXT = 4_000;
/** Of all updates together: one record of 64 KiB holds a post, two bytes a character. */
const MAX_ALL_TEXT = 26_000;
const MAX_UPDATES = 60;
/** Longer ones are no maintenance. */
const MAX_MAINTENANCE_MS = 31 * DAY_MS;
/** As many as are looked at. */
const MAX_LISTED = 200;

/**
 * Checks what a form of a new post says.
 *
 * @param field reads a field of the form
 * @param entries what was chosen of the monitors
 * @param known keys of the monitors on the page
 * @throws {InvalidInput}
 */
export function checkPost(
  kind: StatusPost["kind"],
  field: (name: string) => string,
  entries: readonly string[],
  known: ReadonlySet<string>,
): PostInput {
  const title = cleanText(field("title")).replace(/\s+/g, " ");
  if (title === "") throw new InvalidInput("title", t("Say in a line what it is."));
  if (title.length > MAX_TITLE) {
    throw new InvalidInput(
      "title",
      t("A title has at most {n} characters.", { n: MAX_TITLE }),
    );
  }
  if (!entries.every((key) => known.has(key))) {
    throw new InvalidInput("entries", t("Choose monitors of this status page."));
  }
  const common = { kind, title, entries: [...new Set(entries)], text: checkText(field("text")) };
  if (kind === "incident") {
    const impact = IMPACTS.find((each) => each === field("impact")) ?? "partial";
    return { ...common, impact, state: checkState(kind, field("state")), times: null };
  }
  return { ...common, impact: "none", state: "planned", times: checkTimes(field) };
}

/** @throws {InvalidInput} */
export function checkText(text: string): string {
  const clean = cleanText(text);
  if (clean === "") throw new InvalidInput("text", t("Write what people should know."));
  if (clean.length > MAX_TEXT) {
    throw new InvalidInput(
      "text",
      t("An update has at most {n} characters.", { n: MAX_TEXT }),
    );
  }
  return clean;
}

/** @throws {InvalidInput} */
export function checkState(kind: StatusPost["kind"], text: string): PostState {
  const states: readonly PostState[] = kind === "incident"
    ? INCIDENT_STATES
    : ["planned", "completed"];
  const state = states.find((each) => each === text);
  if (state === undefined) throw new InvalidInput("state", t("Choose a state from the list."));
  return state;
}

/** Lines stay; what could turn the text round or end it goes. */
function cleanText(text: string): string {
  return text.replaceAll("\r\n", "\n")
    .replace(/[^\P{Cc}\n]|[\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, "").trim().toWellFormed();
}

function checkTimes(field: (name: string) => string): { startsAt: Date; endsAt: Date } {
  const startsAt = checkTime("startsAt", field("startsAt"));
  const endsAt = checkTime("endsAt", field("endsAt"));
  if (endsAt <= startsAt) throw new InvalidInput("endsAt", t("Maintenance ends after it begins."));
  if (endsAt.getTime() - startsAt.getTime() > MAX_MAINTENANCE_MS) {
    throw new InvalidInput("endsAt", t("Maintenance lasts 31 days at most."));
  }
  return { startsAt, endsAt };
}

/** As browsers send it; in UTC, since without a script nobody knows the zone. */
function checkTime(field: string, text: string): Date {
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(text) ? Date.parse(`${text}Z`) : NaN;
  if (!isOfCalendar(time)) throw new InvalidInput(field, t("Enter a time as 2026-11-30T22:00."));
  return new Date(time);
}

interface Writing {
  /** E-mail address. */
  readonly by: string;
  /** Whether subscribers are told. */
  readonly isTold: boolean;
  readonly now?: Date;
}

/** Makes a post with its first update. What subscribers are to be told is written with it, or not at all. */
export async function createPost(
  kv: Deno.Kv,
  organizationId: string,
  input: PostInput,
  { by, isTold, now = new Date() }: Writing,
): Promise<StatusPost> {
  const { text, times, ...rest } = input;
  const update = newUpdate(rest.state, text, by, now);
  const post: StatusPost = {
    ...rest,
    organizationId,
    postId: v7({ msecs: now.getTime() }),
    startsAt: times?.startsAt ?? now,
    endsAt: times?.endsAt ?? null,
    closedAt: isClosing(rest.state) ? now : null,
    updates: [update],
  };
  const atomic = kv.atomic().set(keyOf.statusPost(organizationId, post.postId), post)
    .set(keyOf.statusRevision(organizationId), now);
  if (isTold) tell(atomic, post, update);
  auditPost(atomic, null, post);
  await atomic.commit();
  return post;
}

/**
 * Adds an update to a post.
 *
 * @returns null when there is no such post
 * @throws {InvalidInput} when it is as long as it can be
 */
export function addUpdate(
  kv: Deno.Kv,
  organizationId: string,
  postId: string,
  { state, text }: Pick<PostUpdate, "state" | "text">,
  { by, isTold, now = new Date() }: Writing,
): Promise<StatusPost | null> {
  return untilCommitted<StatusPost | null>("write the update", async () => {
    const entry = await kv.get<StatusPost>(keyOf.statusPost(organizationId, postId));
    if (entry.value === null) return null;
    const { updates } = entry.value;
    const length = updates.reduce((sum, update) => sum + update.text.length, text.length);
    if (updates.length >= MAX_UPDATES || length > MAX_ALL_TEXT) {
      throw new InvalidInput(
        "text",
        t("This has as many updates as it can hold. Open another one."),
      );
    }
    const update = newUpdate(state, text, by, now);
    const post: StatusPost = {
      ...entry.value,
      state,
      closedAt: isClosing(state) ? now : null,
      updates: [...updates, update],
    };
    const atomic = kv.atomic().check(entry).set(entry.key, post)
      .set(keyOf.statusRevision(organizationId), now);
    if (isTold) tell(atomic, post, update);
    auditPost(atomic, entry.value, post);
    return (await atomic.commit()).ok ? post : conflict;
  });
}

/** Takes a post away as if it had never been. */
export async function deletePost(
  kv: Deno.Kv,
  organizationId: string,
  postId: string,
): Promise<void> {
  const atomic = kv.atomic().delete(keyOf.statusPost(organizationId, postId))
    .set(keyOf.statusRevision(organizationId), new Date());
  auditPost(atomic, await findPost(kv, organizationId, postId), null);
  await atomic.commit();
}

function auditPost(
  atomic: Deno.AtomicOperation,
  before: StatusPost | null,
  after: StatusPost | null,
): void {
  const post = after ?? before;
  if (post === null) return;
  const shown = ({ title, state, impact, entries, startsAt, endsAt, updates }: StatusPost) => ({
    title,
    state,
    impact,
    entries,
    startsAt,
    endsAt,
    text: updates.at(-1)?.text,
  });
  const done = after === null ? "remove" : before === null ? "create" : "edit";
  addAudit(atomic, {
    event: `status-post.${done}`,
    organizationId: post.organizationId,
    target: { kind: "status-post", id: post.postId, label: post.title },
    changes: changesBetween(before && shown(before), after && shown(after)),
  });
}

function newUpdate(state: PostState, text: string, by: string, now: Date): PostUpdate {
  return { updateId: v7({ msecs: now.getTime() }), at: now, by, state, text };
}

function isClosing(state: PostState): boolean {
  return state === "resolved" || state === "completed";
}

/** What subscribers are yet to be told of: one update. */
export interface Announcement {
  readonly organizationId: string;
  readonly postId: string;
  readonly updateId: string;
  readonly createdAt: Date;
  /** Key of the last subscriber that was told; `""`: nobody yet. */
  readonly toldUpTo: string;
  readonly attempts: number;
  readonly dueAt: Date;
}

function tell(
  atomic: Deno.AtomicOperation,
  { organizationId, postId }: StatusPost,
  { updateId, at }: PostUpdate,
): void {
  const announcement: Announcement = {
    organizationId,
    postId,
    updateId,
    createdAt: at,
    toldUpTo: "",
    attempts: 0,
    dueAt: at,
  };
  atomic.set(keyOf.statusMail(organizationId, updateId), announcement);
}

/** One post, or null. */
export async function findPost(
  kv: Deno.Kv,
  organizationId: string,
  postId: string,
): Promise<StatusPost | null> {
  if (!/^[0-9a-f-]{36}$/.test(postId)) return null;
  return (await kv.get<StatusPost>(keyOf.statusPost(organizationId, postId))).value;
}

/** The newest posts, newest first. */
export async function listPosts(kv: Deno.Kv, organizationId: string): Promise<StatusPost[]> {
  const entries = kv.list<StatusPost>({ prefix: prefixOf.statusPosts(organizationId) }, {
    reverse: true,
    limit: MAX_LISTED,
  });
  return await Array.fromAsync(entries, ({ value }) => value);
}

/** Where a post is in its life. */
export type Phase = "open" | "upcoming" | "past";

/** Where a post is in its life at a moment: planned maintenance begins and ends by the clock. */
export function phaseOf(post: StatusPost, now: Date): Phase {
  if (post.closedAt !== null) return "past";
  if (post.kind === "incident") return "open";
  if (now < post.startsAt) return "upcoming";
  return post.endsAt !== null && now >= post.endsAt ? "past" : "open";
}

const STATE_WORDS: Readonly<Record<PostState, Message>> = {
  investigating: message("Investigating"),
  identified: message("Identified"),
  monitoring: message("Monitoring"),
  resolved: message("Resolved"),
  planned: message("Planned"),
  completed: message("Completed"),
};

export function stateWords(state: PostState): string {
  return t(STATE_WORDS[state]);
}
