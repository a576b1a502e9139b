/** What a request may change of issues, alone or many at once: Sentry's names, checked and understood. */
import { z } from "zod";
import type { ArchiveUntil, ResolveIn, StatusChange } from "../workflow/change_status.ts";
import { plainText } from "../../api/lists.ts";
import { PRIORITIES, type Priority, type Substatus } from "../workflow/state.ts";
import type { PersonalChange } from "../workflow/people.ts";

/** Sentry's statuses; some say how as well. */
const STATUSES = ["resolved", "resolvedInNextRelease", "unresolved", "ignored", "muted"] as const;

/** By their names, the older ones included. */
const SUBSTATUSES = {
  archived_until_escalating: "archived_until_escalating",
  until_escalating: "archived_until_escalating",
  archived_until_condition_met: "archived_until_condition_met",
  until_condition_met: "archived_until_condition_met",
  archived_forever: "archived_forever",
  forever: "archived_forever",
  escalating: "escalating",
  ongoing: "ongoing",
  regressed: "regressed",
  new: "new",
} as const satisfies Record<string, Substatus>;
type SubstatusName = keyof typeof SUBSTATUSES;
const OPEN: readonly Substatus[] = ["escalating", "ongoing", "regressed", "new"];

/** Ten years: what is archived for longer is archived for good. */
const MAX_MINUTES = 10 * 366 * 24 * 60;
/** A week, as windows are counted from events. */
const MAX_WINDOW = 7 * 24 * 60;
const MAX_COUNT = 1_000_000_000;
const MAX_NAME = 250;

/** Numbers come as text as well. */
function whole(most: number) {
  const message = `write a whole number from 1 to ${most}`;
  return z.union([z.number(), z.string().regex(/^\d{1,15}$/).transform(Number)], message)
    .pipe(z.int(message).min(1, message).max(most, message)).nullish();
}

const truth = z.union([z.boolean(), z.literal(0), z.literal(1)], "write true or false")
  .transform(Boolean).nullish();
const name = plainText.max(MAX_NAME, `write at most ${MAX_NAME} characters`);

const DETAILS = {
  inNextRelease: truth.describe("Events of releases after the newest one reopen it"),
  inUpcomingRelease: truth.describe("The same"),
  inRelease: name.nullish().describe("A release of the project, or latest"),
  inCommit: z.object({ commit: name, repository: name }).nullish().describe(
    "Nothing reopens it before a release has the commit",
  ),
  ignoreDuration: whole(MAX_MINUTES).describe("Archived for so many minutes"),
  ignoreCount: whole(MAX_COUNT).describe("Archived until so many more events"),
  ignoreWindow: whole(MAX_WINDOW).describe("… within so many minutes"),
  ignoreUserCount: whole(MAX_COUNT).describe("Archived until so many more users"),
  ignoreUserWindow: whole(MAX_WINDOW).describe("… within so many minutes"),
  ignoreUntilEscalating: truth.describe("Archived until it happens much more often"),
};
const Details = z.object(DETAILS);
type Details = z.output<typeof Details>;

const Body = z.object({
  status: z.enum(STATUSES, `write ${STATUSES.join(", ")}`).nullish(),
  statusDetails: Details.nullish().describe("Its properties may stand beside the status as well"),
  ...DETAILS,
  snoozeDuration: whole(MAX_MINUTES).describe("ignoreDuration of older clients"),
  substatus: z.enum(Object.keys(SUBSTATUSES) as SubstatusName[]).nullish(),
  assignedTo: z.union([name, z.int()], "write user:<id>, team:<id>, #team or an e-mail address")
    .nullish().describe("user:<id>, team:<id>, #<slug of a team>, an id or e-mail; empty: nobody"),
  assignedBy: z.string().nullish().describe("Means nothing here"),
  priority: z.enum(PRIORITIES, `write ${PRIORITIES.join(", ")}`).nullish(),
  hasSeen: truth,
  isBookmarked: truth.describe("Subscribes as well; false unsubscribes"),
  isSubscribed: truth,
  inbox: truth.describe("false: reviewed"),
  isPublic: truth.describe("Makes a new link by which anybody sees it, or ends all links"),
  merge: truth.describe("Makes one issue of all that are meant"),
  discard: truth.describe("Deletes them and drops what comes of their kind. Stands alone"),
});

/** What is to be changed; what is absent stays as it is. */
export interface AskedChanges {
  readonly status: StatusChange | undefined;
  /** As it was written; `null` and `""`: nobody. */
  readonly assignedTo: string | null | undefined;
  readonly priority: Priority | undefined;
  readonly personal: PersonalChange;
  readonly inbox: boolean | undefined;
  readonly isPublic: boolean | undefined;
  readonly merge: boolean;
  readonly discard: boolean;
  /** What is named beside `discard`. */
  readonly others: readonly string[];
}

/** The body of a change. Other properties of Sentry's issues cannot be changed and are ignored. */
export const IssueChanges = Body.transform((body, context): AskedChanges => {
  const refuse = (field: string, message: string) => {
    context.addIssue({ code: "custom", path: [field], message });
  };
  const { assignedTo, hasSeen, isBookmarked, isSubscribed } = body;
  return {
    status: statusOf(body, refuse),
    assignedTo: typeof assignedTo === "number" ? String(assignedTo) : assignedTo,
    priority: body.priority ?? undefined,
    personal: {
      ...typeof hasSeen === "boolean" ? { hasSeen } : {},
      ...typeof isBookmarked === "boolean" ? { isBookmarked } : {},
      ...typeof isSubscribed === "boolean" ? { isSubscribed } : {},
    },
    inbox: body.inbox ?? undefined,
    isPublic: body.isPublic ?? undefined,
    merge: body.merge ?? false,
    discard: body.discard ?? false,
    others: Object.entries(body)
      .filter(([key, value]) => key !== "discard" && value !== undefined && value !== null)
      .map(([key]) => key),
  };
});

type Refuse = (field: string, message: string) => void;

function statusOf(body: z.output<typeof Body>, refuse: Refuse): StatusChange | undefined {
  const details: Details = { ...body, ...body.statusDetails ?? {} };
  const substatus = body.substatus ? SUBSTATUSES[body.substatus] : undefined;
  const status = body.status ??
    (substatus && (OPEN.includes(substatus) ? "unresolved" : "ignored"));
  const until = untilOf(details, body.snoozeDuration ?? undefined, refuse);
  const resolved = resolveIn(details);
  if (!status) {
    if (resolved !== undefined || Object.keys(until).length > 0) {
      refuse("status", "Say which status the details are of: resolved or ignored.");
    }
    return undefined;
  }
  if (status === "unresolved") {
    if (substatus === undefined) return { to: "unresolved" };
    if (OPEN.includes(substatus)) return { to: "unresolved", substatus };
  } else if (status === "ignored" || status === "muted") {
    const end = archived(until, substatus, refuse);
    if (end !== null) return { to: "ignored", until: end };
  } else if (substatus === undefined) {
    const isNext = status === "resolvedInNextRelease";
    const where: ResolveIn | undefined = isNext ? { kind: "next" } : resolved;
    return { to: "resolved", ...where === undefined ? {} : { in: where } };
  }
  refuse("substatus", `What is ${status} cannot be ${body.substatus}.`);
  return undefined;
}

function resolveIn(details: Details): ResolveIn | undefined {
  const { inNextRelease, inUpcomingRelease, inRelease, inCommit } = details;
  if (inNextRelease || inUpcomingRelease) return { kind: "next" };
  if (inRelease) return { kind: "release", version: inRelease };
  return inCommit ? { kind: "commit", ...inCommit } : undefined;
}

function untilOf(details: Details, snoozed: number | undefined, refuse: Refuse): ArchiveUntil {
  const { ignoreDuration, ignoreCount, ignoreWindow, ignoreUserCount, ignoreUserWindow } = details;
  if (ignoreWindow && !ignoreCount) refuse("ignoreWindow", "Say ignoreCount as well.");
  if (ignoreUserWindow && !ignoreUserCount) {
    refuse("ignoreUserWindow", "Say ignoreUserCount as well.");
  }
  const minutes = ignoreDuration ?? snoozed;
  return {
    ...minutes ? { minutes } : {},
    ...ignoreCount ? { count: ignoreCount } : {},
    ...ignoreWindow ? { window: ignoreWindow } : {},
    ...ignoreUserCount ? { userCount: ignoreUserCount } : {},
    ...ignoreUserWindow ? { userWindow: ignoreUserWindow } : {},
    ...details.ignoreUntilEscalating ? { escalating: true } : {},
  };
}

/** Conditions are stronger than what the substatus says. Null where it is none of archived issues. */
function archived(
  { escalating, ...conditions }: ArchiveUntil,
  substatus: Substatus | undefined,
  refuse: Refuse,
): ArchiveUntil | null {
  if (substatus !== undefined && OPEN.includes(substatus)) return null;
  if (Object.keys(conditions).length > 0) return conditions;
  if (substatus === "archived_until_condition_met") {
    refuse("substatus", "Say the condition: ignoreDuration, ignoreCount or ignoreUserCount.");
  }
  return escalating || substatus === "archived_until_escalating" ? { escalating: true } : {};
}
