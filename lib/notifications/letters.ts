/** The words of mails to people about issues. */
import { type Message, message, t } from "../core/language/translate.ts";
import { sha256 } from "../accounts/secrets.ts";
import { letterOf, type Mail } from "../alerts/mod.ts";
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
      label: t("Open {shortId}", { shortId: issue.shortId }),
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
    subject: t("{n} issue of yours changed|{n} issues of yours changed", { n: issues.length }),
    blocks: [
      lines.join("\n"),
      ...rest > 0 ? [t("And {n} more issue.|And {n} more issues.", { n: rest })] : [],
    ],
    link: { label: t("Open Watchpost"), url: baseUrl },
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

const WHY: Readonly<Record<Reason, Message>> = {
  assigned: message("an issue was assigned to you or a team of yours"),
  mentioned: message("you were named in a comment"),
  owned: message("a new issue is yours or a team's of yours"),
  returned: message("an issue that concerns you came back"),
  participating: message("you take part in the issue"),
};

function footer(told: readonly ToldActivity[], baseUrl: string): string {
  const why = [...new Set(told.map(({ reason }) => t(WHY[reason])))].join("; ");
  return t("You get this because {why}. Choose your notifications: {url}", {
    why,
    url: `${baseUrl}/account/notifications`,
  });
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
      return t("{who} wrote:\n{text}", { who, text: text(data.text).slice(0, MAX_QUOTE) });
    case "assigned":
      return typeof data.rule === "string"
        ? t("It was assigned to {assignee} by the ownership rule {rule}", {
          assignee: assignee ?? t("somebody"),
          rule: data.rule,
        })
        : t("{who} assigned it to {assignee}.", { who, assignee: assignee ?? t("somebody") });
    case "first_seen":
      return data.source === "suspect"
        ? t("It is new, and you wrote the commit that may have caused it.")
        : t("It is new, and yours by the ownership rule {rule}", { rule: text(data.rule) });
    case "unassigned":
      return t("{who} removed the assignment.", { who });
    case "set_resolved":
      return t("{who} resolved it.", { who });
    case "set_resolved_in_release":
      return version === ""
        ? t("{who} resolved it in the next release.", { who })
        : t("{who} resolved it in {version}.", { who, version });
    case "set_resolved_in_commit":
      return t("{who} resolved it in a commit.", { who });
    case "set_resolved_by_age":
      return t("It was resolved, since it had not happened for long.");
    case "set_unresolved":
      return t("{who} set it back to unresolved.", { who });
    case "set_ignored":
      return t("{who} archived it.", { who });
    case "set_regression":
      return version === ""
        ? t("It happened again.")
        : t("It happened again, in {version}.", { version });
    case "set_escalating":
      return t("It happens much more often than before.");
    case "set_priority":
      return t("{who} set its priority to {priority}.", { who, priority: text(data.priority) });
    case "merge":
      return t("{who} merged other issues into it.", { who });
    case "create_issue":
      return t("{who} linked it to {target}.", {
        who,
        target: text(data.label) || text(data.title) || t("a tracker"),
      });
    default:
      return t("{who} changed it.", { who });
  }
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
