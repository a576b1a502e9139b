/** Changing issues as requests of the API ask for it. */
import { z } from "zod";
import { nameOfActor, type ProjectAccess } from "../../accounts/authorize.ts";
import { type Assignee, resolveAssignee } from "../../accounts/assignees.ts";
import { type ApiContext, ApiError } from "../../api/route.ts";
import { InvalidInput } from "../../core/errors.ts";
import { type Merged, mergeIssues } from "../issue_merge.ts";
import { letEventsFollow } from "../issue_moves.ts";
import { findIssue } from "../issues.ts";
import { discardIssues } from "../manage/remove.ts";
import { setPublic } from "../manage/shares.ts";
import { ISSUE_STATUSES } from "../search/terms.ts";
import { changeIn } from "../workflow/change.ts";
import { review } from "../workflow/inbox.ts";
import { changePersonal, subscribe } from "../workflow/people.ts";
import { PRIORITIES } from "../workflow/state.ts";
import type { AskedChanges } from "./change_body.ts";
import { chosenIssues } from "./chosen_issues.ts";
import { actorOf, type IssueAccess } from "./issue_access.ts";
import { factsOf } from "./issue_facts.ts";
import { AssigneeJson, statusDetailsJson } from "./issue_json.ts";
import { issueDetailJson } from "./issue_detail.ts";

interface ChangingInput {
  readonly body: AskedChanges;
}

/** What was changed, and nothing else. */
export const ChangedIssuesJson = z.object({
  status: z.enum(ISSUE_STATUSES).optional(),
  statusDetails: z.looseObject({}).optional(),
  substatus: z.string().nullable().optional(),
  priority: z.enum(PRIORITIES).optional(),
  assignedTo: AssigneeJson.nullable().optional(),
  hasSeen: z.boolean().optional(),
  isBookmarked: z.boolean().optional(),
  isSubscribed: z.boolean().optional(),
  subscriptionDetails: z.object({ reason: z.string() }).nullable().optional(),
  inbox: z.boolean().optional(),
  isPublic: z.boolean().optional(),
  shareId: z.string().nullable().optional(),
  merge: z.object({ parent: z.string(), children: z.array(z.string()) }).optional(),
});

/**
 * Changes the issues that `?id=` names, any number of times, or those that match the search: all or none of them. 204
 * when none of these projects has one.
 *
 * @throws {ApiError} 400 for a merge of issues of several projects, or of one alone
 * @throws {InvalidInput} for what cannot be, in words
 */
export async function issuesUpdateReply(
  ctx: ApiContext,
  accesses: readonly ProjectAccess[],
  { body }: ChangingInput,
): Promise<z.input<typeof ChangedIssuesJson> | undefined> {
  const chosen = await chosenIssues(ctx, accesses);
  if (chosen.size === 0) return;
  if (body.discard) {
    await discardIssues(ctx, chosen, body.others);
    return;
  }
  if (body.merge) refuseMerge(chosen);
  // First, since it may be refused: then nothing is merged.
  await change(ctx, chosen, accesses, body);
  const merged = body.merge ? await merge(ctx, chosen, accesses) : null;
  const meant = merged === null ? chosen : new Map([[merged.projectId, [merged.into]]]);
  return {
    ...await changedJson(ctx, meant, accesses, body),
    ...merged === null ? {} : { merge: { parent: merged.into, children: [...merged.sources] } },
  };
}

/** Changes one issue and answers with the whole of it. */
export async function issueUpdateReply(
  ctx: ApiContext,
  { access, issue }: IssueAccess,
  { body }: ChangingInput,
) {
  const meant = new Map([[access.project.id, [issue.id]]]);
  if (body.discard) return await discardIssues(ctx, meant, body.others);
  if (body.merge) throw tooFewToMerge();
  await change(ctx, meant, [access], body);
  const changed = await findIssue(ctx.state.services.sql, access.project.id, issue.id) ?? issue;
  return await issueDetailJson(ctx, { access, issue: changed });
}

function tooFewToMerge(): ApiError {
  return ApiError.fields({ merge: ["Name at least two issues of one project."] });
}

type Chosen = ReadonlyMap<string, readonly string[]>;

/** @throws {ApiError} 400 for issues that cannot become one */
function refuseMerge(chosen: Chosen): void {
  if (chosen.size > 1) throw ApiError.detail(400, "Only issues of one project can be merged.");
  if ([...chosen.values()].flat().length < 2) throw tooFewToMerge();
}

async function merge(
  ctx: ApiContext,
  chosen: Chosen,
  [access]: readonly ProjectAccess[],
): Promise<Merged & { readonly projectId: string }> {
  const { services } = ctx.state;
  const [[projectId, ids] = ["", []]] = chosen;
  const actor = actorOf(access ?? { userId: null });
  const merged = await mergeIssues(services.sql, projectId, ids, new Date(), { actor });
  if (merged === null) throw tooFewToMerge();
  await letEventsFollow(services, projectId);
  return { ...merged, projectId };
}

/** All of it, or nothing. */
async function change(
  ctx: ApiContext,
  chosen: Chosen,
  accesses: readonly ProjectAccess[],
  body: AskedChanges,
): Promise<void> {
  const { kv, sql } = ctx.state.services;
  const [access] = accesses;
  if (access === undefined) return;
  const userId = requirePerson(access, body);
  const assignee = await assigneeOf(kv, access, body.assignedTo);
  const { status, priority } = body;
  const asked = {
    ...status === undefined ? {} : { status },
    ...priority === undefined ? {} : { priority },
    ...assignee === undefined ? {} : { assignee },
  };
  const actor = actorOf(access);
  const now = new Date();
  await sql.begin(async (tx) => {
    // In the order of projects, so that two such requests do not wait for each other.
    for (const [projectId, ids] of [...chosen].sort(([a], [b]) => Number(a) - Number(b))) {
      if (Object.keys(asked).length > 0) await changeIn(tx, projectId, ids, asked, actor, now);
      // Whoever chooses whom it is for hears of it from then on.
      if (assignee && userId !== null) {
        await subscribe(tx, projectId, ids, userId, "assigned");
      }
      if (body.inbox !== undefined) await review(tx, projectId, ids, !body.inbox, actor, now);
      if (userId !== null) await changePersonal(tx, projectId, ids, userId, body.personal, now);
    }
  });
  if (body.isPublic === undefined) return;
  const by = nameOfActor(ctx.state.actor);
  for (const [projectId, ids] of chosen) {
    for (const issueId of ids) {
      await setPublic(sql, { projectId, issueId, by }, body.isPublic, actor, now);
    }
  }
}

/** Bookmarks and the like are somebody's. @throws {ApiError} 400 for tokens that nobody stands behind */
function requirePerson({ userId }: ProjectAccess, { personal }: AskedChanges): string | null {
  const [name] = Object.keys(personal);
  if (userId !== null || name === undefined) return userId;
  throw ApiError.fields({ [name]: ["This is a person's: use a token of somebody."] });
}

/** Undefined: it stays as it is. @throws {InvalidInput} for nobody of the organization */
async function assigneeOf(
  kv: Deno.Kv,
  { organization, project }: ProjectAccess,
  named: string | null | undefined,
): Promise<Assignee | null | undefined> {
  if (named === undefined || named === null) return named;
  if (named.trim() === "") return null;
  const assignee = await resolveAssignee(kv, organization.id, project.id, named);
  if (assignee !== null) return assignee;
  throw new InvalidInput("assignedTo", "There is no such member or team in this organization.");
}

/** What a change has made of its issues: of many as it is of the first, since all were asked for the same. */
async function changedJson(
  ctx: ApiContext,
  chosen: Chosen,
  accesses: readonly ProjectAccess[],
  body: AskedChanges,
): Promise<z.input<typeof ChangedIssuesJson>> {
  const [[projectId, [id = ""]] = ["", []]] = chosen;
  const facts = (await factsOf(ctx.state.services, [{ id, projectId }], accesses)).get(id);
  if (facts === undefined) return {};
  const { state } = facts;
  const { personal } = body;
  const isSubscribed = personal.isSubscribed ?? personal.isBookmarked;
  const reason = facts.self?.subscription ?? "unknown";
  return {
    ...body.status === undefined ? {} : {
      status: state.status,
      statusDetails: statusDetailsJson(facts),
      substatus: state.substatus,
    },
    ...body.priority === undefined ? {} : { priority: state.priority },
    ...body.assignedTo === undefined ? {} : { assignedTo: facts.assignee },
    ...personal,
    ...isSubscribed === undefined
      ? {}
      : { isSubscribed, subscriptionDetails: isSubscribed ? { reason } : null },
    ...body.inbox === undefined ? {} : { inbox: state.isForReview },
    ...body.isPublic === undefined ? {} : { isPublic: body.isPublic, shareId: facts.shareId },
  };
}
