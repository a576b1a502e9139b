/** The words of mails to people about issues. */
import { sha256 } from "../accounts/secrets.ts";
import { letterOf, type Mail } from "../alerts/mod.ts";
import { formatQuantity } from "../ui/format.ts";
import { issuePath } from "../ui/links.ts";
import type { Activity, Reason } from "./recipients.ts";

/** What mails say of an issue. */
export interface ToldIssue {
  readonly projectId: string;
  readonly id: string;
  /** As `SHOP-1A`. */
  readonly shortId: string;
  readonly title: string;
  readonly culprit: string;
}

/** An activity, with the names of who did it and to whom. */
export interface ToldActivity {
  readonly activity: Activity;
  readonly reason: Reason;
  /** Null: nobody did, it happened. */
  readonly actor: string | null;
  /** Of an assignment; "you" where it is. */
  readonly assignee: string | null;
}

export interface ToldPerson {
  readonly email: string;
  readonly baseUrl: string;
}

/** More than this in one mail, and it would be no help. */
const MAX_LISTED = 30;
const MAX_QUOTE = 2_000;

/** Tells one person of one issue. */
export function issueMail(
  issue: ToldIssue,
  told: readonly ToldActivity[],
  { email, baseUrl }: ToldPerson,
): Mail {
  const sentences = told.map(sentence);
  return letterOf({
    to: email,
    subject: `[${issue.shortId}] ${oneLine(issue.title)}`,
    blocks: [
      ...sentences,
      [oneLine(issue.title), issue.culprit].filter((line) => line !== "").join("\n"),
    ],
    link: {
      label: `Open ${issue.shortId}`,
      url: `${baseUrl}${issuePath(issue.projectId, issue.id)}`,
    },
    id: mailId(email, told),
    thread: sha256(`issue/${issue.projectId}/${issue.id}`).slice(0, 32),
    baseUrl,
    unsubscribe: null,
    footer: footer(told, baseUrl),
  });
}

/** Tells one person of many issues at once, as after a change of all that a search found. */
export function digestMail(
  issues: readonly { readonly issue: ToldIssue; readonly told: readonly ToldActivity[] }[],
  { email, baseUrl }: ToldPerson,
): Mail {
  const lines = issues.slice(0, MAX_LISTED).map(({ issue, told }) =>
    `${issue.shortId} ${oneLine(issue.title)}: ${told.map(sentence).join(" ")}`
  );
  const rest = issues.length - lines.length;
  const all = issues.flatMap(({ told }) => told);
  return letterOf({
    to: email,
    subject: `${formatQuantity(issues.length, "issue")} of yours changed`,
    blocks: [
      lines.join("\n"),
      ...rest > 0 ? [`And ${formatQuantity(rest, "more issue")}.`] : [],
    ],
    link: { label: "Open Watchpost", url: baseUrl },
    id: mailId(email, all),
    baseUrl,
    unsubscribe: null,
    footer: footer(all, baseUrl),
  });
}

/** The same for the same activities, however often the mail is made. */
function mailId(email: string, told: readonly ToldActivity[]): string {
  const ids = told.map(({ activity }) => activity.id).sort();
  return sha256(`issues/${email}/${ids.join()}`).slice(0, 32);
}

const WHY: Readonly<Record<Reason, string>> = {
  assigned: "an issue was assigned to you or a team of yours",
  mentioned: "you were named in a comment",
  owned: "a new issue is yours or a team's of yours",
  returned: "an issue that concerns you came back",
  participating: "you take part in the issue",
};

function footer(told: readonly ToldActivity[], baseUrl: string): string {
  const why = [...new Set(told.map(({ reason }) => WHY[reason]))].join(", and ");
  return `You get this because ${why}. Choose what you are told of: ${baseUrl}/account/notifications`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim().slice(0, 200);
}

/** What was done, in a sentence that names who. */
export function sentence({ activity: { type, data }, actor, assignee }: ToldActivity): string {
  const who = actor ?? "Watchpost";
  const version = text(data.version);
  switch (type) {
    case "note":
      return `${who} wrote:\n${text(data.text).slice(0, MAX_QUOTE)}`;
    case "assigned":
      return typeof data.rule === "string"
        ? `It was assigned to ${assignee ?? "somebody"} by the ownership rule ${data.rule}`
        : `${who} assigned it to ${assignee ?? "somebody"}.`;
    case "first_seen":
      return data.source === "suspect"
        ? "It is new, and you wrote the commit that may have brought it."
        : `It is new, and yours by the ownership rule ${text(data.rule)}`;
    case "unassigned":
      return `${who} took the assignment back.`;
    case "set_resolved":
      return `${who} resolved it.`;
    case "set_resolved_in_release":
      return version === ""
        ? `${who} resolved it in the next release.`
        : `${who} resolved it in ${version}.`;
    case "set_resolved_in_commit":
      return `${who} resolved it in a commit.`;
    case "set_resolved_by_age":
      return "It was resolved, since it had not happened for long.";
    case "set_unresolved":
      return `${who} set it back to unresolved.`;
    case "set_ignored":
      return `${who} archived it.`;
    case "set_regression":
      return version === "" ? "It happened again." : `It happened again, in ${version}.`;
    case "set_escalating":
      return "It happens much more often than before.";
    case "set_priority":
      return `${who} set its priority to ${text(data.priority)}.`;
    case "merge":
      return `${who} merged other issues into it.`;
    case "create_issue":
      return `${who} linked it to ${text(data.label) || text(data.title) || "a tracker"}.`;
    default:
      return `${who} changed it.`;
  }
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
