/** Tells people of what was done with issues that concern them. */
import { effectiveRole } from "../accounts/members.ts";
import { seesProject } from "../accounts/visibility.ts";
import { readerOf } from "../accounts/language.ts";
import { t } from "../core/language/translate.ts";
import { inLanguage } from "../core/request_scope.ts";
import { findOrganization, type Organization } from "../accounts/organizations.ts";
import { findProject, type Project } from "../accounts/projects.ts";
import { findTeam } from "../accounts/teams.ts";
import { findUser, type User } from "../accounts/users.ts";
import type { Mail } from "../alerts/mod.ts";
import type { Config } from "../core/config.ts";
import { SECOND_MS } from "../core/time.ts";
import {
  markOwnersTold,
  ownersAreUntold,
  ownersOf,
  shortIdOf,
  type UntoldOwner,
  untoldOwners,
} from "../errors/mod.ts";
import type { Queryable, Sql } from "../store/database.ts";
import { digestMail, issueMail, type ToldActivity, type ToldIssue } from "./letters.ts";
import { enqueueMails, type QueuedMail } from "./mail_queue.ts";
import { type Preferences, preferencesOf } from "./preferences.ts";
import { type Activity, candidates, type Concerned, FIRST_SEEN, wants } from "./recipients.ts";

export interface TellTools {
  readonly kv: Deno.Kv;
  readonly sql: Sql;
  readonly config: Pick<Config, "baseUrl" | "smtp">;
}

/** What is done with an issue in one go becomes one mail. */
const SETTLE_MS = 5 * SECOND_MS;
const ACTIVITIES_A_ROUND = 500;
/** More issues than this become one mail. */
const MAX_SINGLE_MAILS = 3;

/**
 * Writes the mails about what was done since the last time. Only one process does this at a time; what is told of a
 * project, and the mails, are written together, so that one of two that do it all the same writes nothing.
 *
 * @returns how many mails were written
 */
export async function tellPeople(tools: TellTools, now: Date): Promise<number> {
  const { sql, kv, config } = tools;
  if (config.smtp === null) {
    // Whoever sets up mail later is not told of last year.
    await sql`update issue_activity set is_told = true where not is_told and created_at < ${now}`;
    await sql`update issue_owners set is_told = true where not is_told and created_at < ${now}`;
    return 0;
  }
  const settled = new Date(now.getTime() - SETTLE_MS);
  const done = await untold(sql, settled);
  const owners = await untoldOwners(sql, settled, ACTIVITIES_A_ROUND);
  const people = new People(kv);
  let written = 0;
  for (const projectId of new Set([...owners, ...done].map((each) => each.projectId))) {
    const isOfIt = (each: { readonly projectId: string }) => each.projectId === projectId;
    const news = { projectId, owners: owners.filter(isOfIt), done: done.filter(isOfIt) };
    written += await tellNews(tools, people, news, now);
  }
  return written;
}

/** Of one project. */
interface News {
  readonly projectId: string;
  readonly owners: readonly UntoldOwner[];
  readonly done: readonly Activity[];
}

/** @returns how many mails were written */
async function tellNews(
  tools: TellTools,
  people: People,
  { projectId, owners, done }: News,
  now: Date,
): Promise<number> {
  const place = await people.placeOf(projectId);
  const mails: QueuedMail[] = [];
  if (place !== null) {
    const organizationId = place.organization.id;
    for (const mail of await mailsOf(tools, people, place, [...owners.map(firstSeen), ...done])) {
      mails.push({ organizationId, id: idOf(mail), mail });
    }
  }
  const isMine = await tools.sql.begin(async (tx) => {
    if (!await areUntold(tx, projectId, done)) return false;
    if (!await ownersAreUntold(tx, projectId, owners)) return false;
    await enqueueMails(tx, mails, now);
    await markOwnersTold(tx, projectId, owners);
    await tx`
      update issue_activity set is_told = true
      where project_id = ${projectId} and (issue_id, id) in (${keysOf(tx, done)})
    `;
    return true;
  });
  return isMine ? mails.length : 0;
}

/** Locks them. @returns false when another has told of some since they were read: this process hung */
async function areUntold(
  tx: Queryable,
  projectId: string,
  activities: readonly Activity[],
): Promise<boolean> {
  const { count } = await tx`
    select from issue_activity
    where project_id = ${projectId} and (issue_id, id) in (${
    keysOf(tx, activities)
  }) and not is_told
    for update
  `;
  return count === activities.length;
}

function keysOf(tx: Queryable, activities: readonly Activity[]) {
  return tx`
    select * from unnest(
      ${activities.map(({ issueId }) => issueId)}::bigint[],
      ${activities.map(({ id }) => id)}::bigint[]
    )
  `;
}

/** What one owner of a new issue is told. */
function firstSeen({ projectId, issueId, kind, id, source, reason, createdAt }: UntoldOwner) {
  return {
    id: `new/${projectId}/${issueId}/${kind}/${id}`,
    projectId,
    issueId,
    type: FIRST_SEEN,
    actorKind: "rule",
    actorId: null,
    data: { owner: id, ownerType: kind, source, rule: reason },
    createdAt,
    changeId: null,
  } satisfies Activity;
}

function idOf({ messageId }: Mail): string {
  return messageId.slice(1, messageId.indexOf("@"));
}

async function untold(sql: Sql, before: Date): Promise<Activity[]> {
  return await sql<Activity[]>`
    select
      id, project_id as "projectId", issue_id as "issueId", type, actor_kind as "actorKind",
      actor_id as "actorId", data, created_at as "createdAt", change_id as "changeId"
    from issue_activity
    where not is_told and created_at < ${before}
    order by created_at, id
    limit ${ACTIVITIES_A_ROUND}
  `;
}

interface Place {
  readonly organization: Organization;
  readonly project: Project;
}

/** The mails of one project. */
async function mailsOf(
  { sql, config: { baseUrl } }: TellTools,
  people: People,
  place: Place,
  activities: readonly Activity[],
): Promise<Mail[]> {
  const issues = await issuesOf(sql, place, activities);
  /** By person, by issue. */
  const told = new Map<string, Map<ToldIssue, ToldActivity[]>>();
  for (const activity of activities) {
    const found = issues.get(activity.issueId);
    if (found === undefined) continue;
    const assignees = await people.behind(place, found.assignee);
    const assigned = await people.behind(place, assigneeIn(activity));
    const mentioned = await people.behindAll(place, mentionsIn(activity));
    const owned = await people.behind(place, ownerIn(activity));
    const owners = await people.behindAll(place, found.owners);
    const reasons = candidates(activity, { ...found.concerned, assignees, owners }, {
      assigned,
      mentioned,
      owned,
    });
    for (const [userId, reason] of reasons) {
      if (!await people.mayHear(place, userId)) continue;
      if (!wants(await people.preferencesOf(userId), userId, activity, reason)) continue;
      const ofPerson = told.get(userId) ?? new Map<ToldIssue, ToldActivity[]>();
      told.set(userId, ofPerson);
      const reader = readerOf(await people.find(userId));
      const names = await inLanguage(reader, () => people.namesIn(place, activity, userId));
      const list = ofPerson.get(found.issue) ?? [];
      ofPerson.set(found.issue, [...list, { activity, reason, ...names }]);
    }
  }
  const mails: Mail[] = [];
  for (const [userId, ofPerson] of told) {
    const user = await people.find(userId);
    if (user === null) continue;
    const person = { email: user.email, baseUrl };
    const entries = [...ofPerson].map(([issue, list]) => ({ issue, told: list }));
    const isDigest = entries.length > MAX_SINGLE_MAILS || isOneChange(entries);
    mails.push(...inLanguage(
      readerOf(user),
      () =>
        isDigest
          ? [digestMail(entries, person)]
          : entries.map(({ issue, told }) => issueMail(issue, told, person)),
    ));
  }
  return mails;
}

/** Whether some change was of several of these issues: who changes ten at once sends one mail, not ten. */
function isOneChange(entries: readonly { readonly told: readonly ToldActivity[] }[]): boolean {
  const changes = entries.flatMap(({ told }) => [
    ...new Set(told.flatMap(({ activity: { changeId } }) => changeId ?? [])),
  ]);
  return new Set(changes).size < changes.length;
}

interface Named {
  readonly kind: "user" | "team";
  readonly id: string;
}

function assigneeIn({ type, data }: Activity): Named | null {
  if (type !== "assigned" || data.assignee === undefined) return null;
  return { kind: data.assigneeType === "team" ? "team" : "user", id: String(data.assignee) };
}

function ownerIn({ type, data }: Activity): Named | null {
  if (type !== FIRST_SEEN) return null;
  return { kind: data.ownerType === "team" ? "team" : "user", id: String(data.owner) };
}

/** Comments keep them as `user:…` and `team:…`. */
function mentionsIn({ type, data }: Activity): Named[] {
  if (type !== "note" || !Array.isArray(data.mentions)) return [];
  return data.mentions.flatMap((each) => {
    const [, kind, id = ""] = /^(user|team):(.+)$/.exec(String(each)) ?? [];
    return kind === "user" || kind === "team" ? [{ kind, id }] : [];
  });
}

interface StoredIssue {
  readonly issue: ToldIssue;
  readonly assignee: Named | null;
  /** Whom rules and commits suggest. */
  readonly owners: readonly Named[];
  readonly concerned: Omit<Concerned, "assignees" | "owners">;
}

async function issuesOf(
  sql: Queryable,
  { project }: Place,
  activities: readonly Activity[],
): Promise<Map<string, StoredIssue>> {
  const ids = [...new Set(activities.map(({ issueId }) => issueId))];
  const [issues, people, owners] = await Promise.all([
    sql<
      {
        id: string;
        number: string;
        title: string;
        culprit: string;
        assigneeKind: Named["kind"] | null;
        assigneeId: string | null;
      }[]
    >`
      select
        id, number, title, culprit, assignee_kind as "assigneeKind", assignee_id as "assigneeId"
      from issues where project_id = ${project.id} and id = any (${ids}::bigint[])
    `,
    sql<{ issueId: string; userId: string; subscription: string }[]>`
      select issue_id as "issueId", user_id as "userId", subscription from issue_people
      where project_id = ${project.id} and issue_id = any (${ids}::bigint[])
        and subscription is not null
    `,
    ownersOf(sql, project.id, ids),
  ]);
  const byIssue = Map.groupBy(people, ({ issueId }) => issueId);
  return new Map(
    issues.map(({ id, number, title, culprit, assigneeKind, assigneeId }) => {
      const all = byIssue.get(id) ?? [];
      return [id, {
        issue: {
          projectId: project.id,
          id,
          shortId: shortIdOf(project.slug, Number(number)),
          title,
          culprit,
        },
        assignee: assigneeKind === null || assigneeId === null
          ? null
          : { kind: assigneeKind, id: assigneeId },
        owners: owners.get(id) ?? [],
        concerned: {
          subscribers: all.filter(({ subscription }) => subscription !== "off").map(userIdOf),
          deaf: all.filter(({ subscription }) => subscription === "off").map(userIdOf),
        },
      }];
    }),
  );
}

function userIdOf({ userId }: { readonly userId: string }): string {
  return userId;
}

/** What KV says of people, asked once a round. */
class People {
  readonly #places = new Map<string, Promise<Place | null>>();
  readonly #users = new Map<string, Promise<User | null>>();
  readonly #hearers = new Map<string, Promise<boolean>>();
  readonly #preferences = new Map<string, Promise<Preferences>>();

  constructor(readonly kv: Deno.Kv) {}

  placeOf(projectId: string): Promise<Place | null> {
    return once(this.#places, projectId, async () => {
      const project = await findProject(this.kv, projectId);
      const organization = project && await findOrganization(this.kv, project.organizationId);
      return project && organization && { project, organization };
    });
  }

  find(userId: string): Promise<User | null> {
    return once(this.#users, userId, () => findUser(this.kv, userId));
  }

  preferencesOf(userId: string): Promise<Preferences> {
    return once(this.#preferences, userId, () => preferencesOf(this.kv, userId));
  }

  /** Whether somebody still sees the project: others are told nothing of it. */
  mayHear({ organization, project }: Place, userId: string): Promise<boolean> {
    return once(
      this.#hearers,
      `${project.id}/${userId}`,
      async () => {
        const user = await this.find(userId);
        const memberRole = user && await effectiveRole(this.kv, organization.id, user);
        return memberRole !== null &&
          await seesProject(this.kv, { organization, memberRole, userId }, project.id);
      },
    );
  }

  /** The people that something is assigned to. Everybody's team is nobody in particular. */
  async behind({ organization }: Place, assignee: Named | null): Promise<readonly string[]> {
    if (assignee === null) return [];
    if (assignee.kind === "user") return [assignee.id];
    const team = await findTeam(this.kv, organization, assignee.id);
    return team?.memberIds ?? [];
  }

  async behindAll(place: Place, named: readonly Named[]): Promise<readonly string[]> {
    return (await Promise.all(named.map((each) => this.behind(place, each)))).flat();
  }

  /** Who did it and to whom, in words for one person. */
  async namesIn(
    { organization }: Place,
    activity: Activity,
    readerId: string,
  ): Promise<Pick<ToldActivity, "actor" | "assignee">> {
    const named = assigneeIn(activity);
    const { actorKind, actorId } = activity;
    return {
      actor: actorKind === "user" && actorId !== null
        ? await this.#nameOf(actorId, readerId)
        : null,
      assignee: named === null
        ? null
        : named.kind === "user"
        ? await this.#nameOf(named.id, readerId, t("you"))
        : `#${(await findTeam(this.kv, organization, named.id))?.slug ?? t("a team that is gone")}`,
    };
  }

  async #nameOf(userId: string, readerId: string, self = t("You")): Promise<string> {
    return userId === readerId ? self : (await this.find(userId))?.name ?? t("Somebody");
  }
}

function once<T>(known: Map<string, Promise<T>>, key: string, ask: () => Promise<T>): Promise<T> {
  const found = known.get(key) ?? ask();
  known.set(key, found);
  return found;
}
