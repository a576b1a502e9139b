/** What an issue in a tracker is filled in with: what broke, where, and the way back here. */
import { issuePath } from "../../ui/links.ts";
import type { Frame } from "../event/stack.ts";
import type { EventView } from "../event/view.ts";
import type { Draft } from "./tracker.ts";
import type { TrackerType } from "./tracker_types.ts";
import { t } from "../../core/language/translate.ts";

/** Of an issue what a draft is made of. */
interface Described {
  readonly projectId: string;
  readonly id: string;
  /** `SHOP-1A` */
  readonly shortId: string;
  readonly title: string;
  readonly culprit: string;
  readonly level: string;
  readonly firstSeen: Date;
  readonly lastRelease: string;
  readonly timesSeen: number;
}

const MAX_TITLE = 200;
const MAX_FRAMES = 8;
const MAX_VALUE = 1_000;

/**
 * Makes the draft of an issue in a tracker.
 *
 * @param view of the event to show, or null when there is none any more
 * @param type of the tracker: Jira has a markup of its own
 */
export function draftOf(
  issue: Described,
  view: EventView | null,
  type: TrackerType,
  baseUrl: string,
): Draft {
  const url = baseUrl + issuePath(issue.projectId, issue.id);
  const isWiki = type === "jira";
  const facts = [
    ["Watchpost", isWiki ? `[${issue.shortId}|${url}]` : `[${issue.shortId}](${url})`],
    [t("First seen"), issue.firstSeen.toISOString()],
    [t("Events"), String(issue.timesSeen)],
  ];
  const text = foreignTextOf(issue, view);
  return {
    title: issue.title.replaceAll(/\s+/g, " ").slice(0, MAX_TITLE).toWellFormed().trim(),
    body: [
      ...facts.map(([label, value]) => `${isWiki ? `*${label}*` : `**${label}**`}: ${value}`),
      "",
      isWiki ? noformat(text) : fenced(text),
    ].join("\n"),
    labels: [],
    assignee: "",
  };
}

/** All that came with events: shown as it is, since it may hold names and markup that mean something there. */
function foreignTextOf({ title, culprit, level, lastRelease }: Described, view: EventView | null) {
  const about = [
    level === "" || culprit === ""
      ? level + culprit
      : t("{level} in {culprit}", { level, culprit }),
    lastRelease === "" ? "" : t("last seen in {release}", { release: lastRelease }),
  ].filter((part) => part !== "");
  // Outermost first: what people saw; the innermost is where it began.
  const exceptions = view?.exceptions ?? [];
  const stacks = exceptions.map(({ type, value, frames }) =>
    [
      [type, value.slice(0, MAX_VALUE)].filter((part) => part !== "").join(": "),
      ...excerptOf(frames),
    ].join("\n")
  );
  const message = view?.message?.text.slice(0, MAX_VALUE) ?? "";
  const alone = stacks.length === 0 ? [message || title, ...excerptOf(view?.stack ?? [])] : [];
  return [about.join(", "), ...stacks.slice(0, 3), alone.join("\n")]
    .filter((part) => part !== "").join("\n\n");
}

/** The frames that tell most: the app's own, or else the newest. */
function excerptOf(frames: readonly Frame[]): string[] {
  const own = frames.filter(({ isInApp }) => isInApp);
  return (own.length > 0 ? own : frames).slice(0, MAX_FRAMES).flatMap((frame, index) => {
    const { name, file, line, source } = frame;
    const place = line === null ? file : `${file}:${line}`;
    const current = index === 0
      ? source.find(({ isCurrent }) => isCurrent)?.text.trim()
      : undefined;
    return [
      `  at ${name || "(unknown)"} (${place})`,
      ...current === undefined || current === "" ? [] : [`      ${current.slice(0, 200)}`],
    ];
  });
}

/** A block of code with a fence that is longer than any within. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text.toWellFormed()}\n${fence}`;
}

function noformat(text: string): string {
  return `{noformat}\n${text.replaceAll("{noformat}", "{ noformat }").toWellFormed()}\n{noformat}`;
}
