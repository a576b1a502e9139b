/** The keys of issue search that have a meaning of their own; every other key is a tag. */
import { LEVELS } from "../../records/mod.ts";
import { USER_FACTS } from "../../records/error_event.ts";
import { isHexId, isId } from "../../store/query_limits.ts";
import { type SearchFilter, textOf } from "../../ui/search_tree.ts";
import {
  anyOf,
  type IssueNode,
  type Match,
  NO_ISSUE,
  not,
  type Pattern,
  STACK_FIELDS,
  type StackField,
  type UserField,
} from "./terms.ts";
import {
  ASSIGNED,
  ASSIGNED_OR_SUGGESTED,
  IS_WORDS,
  PRIORITY,
  readIs,
  readPeople,
  readPriority,
} from "./team_keys.ts";
import { readBoolean, readNumber, readTime, type Unclear } from "./values.ts";
import { understandVersion } from "./version_keys.ts";
import { parseShortId } from "../workflow/short_id.ts";
import { t } from "../../core/language/translate.ts";

export interface KeyContext {
  /** What relative times count from. */
  readonly now: Date;
}

/** What a condition means, its `!` aside; or why it means nothing. */
type Reader = (filter: SearchFilter, context: KeyContext) => IssueNode | Unclear;

/** Other names of keys, in lower case. */
const ALIASES: Readonly<Record<string, string>> = {
  age: "firstseen",
  first_seen: "firstseen",
  last_seen: "lastseen",
  date: "event.timestamp",
  timestamp: "event.timestamp",
  times_seen: "timesseen",
  usercount: "usersseen",
  users_seen: "usersseen",
  active_since: "activesince",
  "first-release": "firstrelease",
  first_release: "firstrelease",
  "last-release": "lastrelease",
  last_release: "lastrelease",
  "project.name": "project",
  "issue.id": "issue.id",
  "trace.id": "trace",
  semver: "release.version",
  assigned_to: "assigned",
  bookmarked_by: "bookmarks",
  subscribed_by: "subscribed",
  regressedinrelease: "regressed_in_release",
};

/** Tags under other names. */
export const TAG_ALIASES: Readonly<Record<string, string>> = {
  "error.mechanism": "mechanism",
  "http.url": "url",
  "http.status_code": "response.status_code",
  "request.method": "http.method",
  "geo.country_code": "user.geo.country_code",
};

const KEYS: Readonly<Record<string, Reader>> = {
  is: oneWord("is", understandIs),
  has: oneWord("has", (value) => understandHas(value)),
  assigned: (filter) => readPeople("assigned", filter),
  assigned_or_suggested: (filter) => readPeople("assigned_or_suggested", filter),
  bookmarks: (filter) => readPeople("bookmarked", filter),
  subscribed: (filter) => readPeople("subscribed", filter),
  "issue.priority": eachValue(readPriority),
  level: (filter) => {
    const levels: readonly string[] = LEVELS;
    const match = matchOf(filter).map((pattern) => pattern.map((part) => part.toLowerCase()));
    return match.every((pattern) => pattern.length > 1 || levels.includes(pattern[0] ?? ""))
      ? { kind: "column", column: "level", match }
      : { reason: t("The levels are {levels}", { levels: LEVELS.join(", ") }) };
  },
  platform: (filter) => column("platform", matchOf(filter)),
  title: (filter) => column("title", matchOf(filter)),
  culprit: (filter) => column("culprit", matchOf(filter)),
  "event.type": (filter) => column("type", matchOf(filter)),
  message: (filter) => {
    const nodes = matchOf(filter).map((pattern): IssueNode => (
      pattern.join("") === ""
        ? NO_ISSUE
        : { kind: "text", pattern: trimmed(pattern), within: "message" }
    ));
    return anyOf(nodes);
  },
  user: (filter) =>
    anyOf(
      matchOf(filter).map((pattern) => {
        const [first = "", ...rest] = pattern;
        const field = USER_FIELDS.find((one) => first.startsWith(`${one}:`)) ?? null;
        const name = field === null ? pattern : [first.slice(field.length + 1), ...rest];
        return filled([name], (match) => ({ kind: "user", field, match }));
      }),
    ),
  ...Object.fromEntries(
    Object.keys(USER_FACTS).map((field): [string, Reader] => [
      `user.${field}`,
      (filter) =>
        filled(matchOf(filter), (match) => ({ kind: "user", field: field as UserField, match })),
    ]),
  ),
  "error.type": (filter) => error("type", matchOf(filter)),
  "error.value": (filter) => error("value", matchOf(filter)),
  "error.handled": eachValue((value) => understandHandled(value, false)),
  "error.unhandled": eachValue((value) => understandHandled(value, true)),
  ...Object.fromEntries(STACK_FIELDS.map((field): [string, Reader] => [
    `stack.${field}`,
    (filter) => stack(field, matchOf(filter)),
  ])),
  "stack.lineno": eachValue((value) =>
    /^\d{1,9}$/.test(value)
      ? { kind: "stack", field: "lineno", match: [[value]] }
      : { reason: t("Write the number of a line") }
  ),
  trace: eachValue((value) => {
    const traceId = hexId(value);
    return traceId === null
      ? { reason: t("A trace id has 32 hexadecimal digits") }
      : { kind: "trace", traceIds: [traceId] };
  }),
  id: eachValue((value) => {
    const eventId = hexId(value);
    return eventId === null
      ? { reason: t("The id of an event has 32 hexadecimal digits") }
      : { kind: "event", eventIds: [eventId] };
  }),
  issue: eachValue((value) => {
    const short = parseShortId(value);
    return short === null
      ? { reason: t("Write the short id of an issue, as in issue:SHOP-1A") }
      : { kind: "number", ...short };
  }),
  "issue.id": eachValue((value) =>
    isId(value)
      ? { kind: "issue", ids: [value] }
      : { reason: t("The id of an issue is a number of at most 18 digits") }
  ),
  project: (filter) => ({ kind: "project", names: filter.values.map(textOf) }),
  "project.id": (filter) => ({ kind: "project", names: filter.values.map(textOf) }),
  "issue.category": eachValue((value) => value === "error" ? { kind: "and", nodes: [] } : NO_ISSUE),
  "issue.type": eachValue((value) => value === "error" ? { kind: "and", nodes: [] } : NO_ISSUE),
  "issue.seer_actionability": () => NO_ISSUE,
  "issue.seer_last_run": () => NO_ISSUE,
  detector: () => NO_ISSUE,
  "sdk.name": (filter) =>
    sdk(matchOf(filter), ([first = "", ...rest], isWhole) => (
      isWhole ? [`${first}/`, ""] : [first, ...rest.slice(0, -1), `${rest.at(-1) ?? ""}/`, ""]
    )),
  "sdk.version": (filter) =>
    sdk(matchOf(filter), ([first = "", ...rest]) => ["", `/${first}`, ...rest]),
  firstrelease: (filter) => releaseColumn("first_release", filter),
  lastrelease: (filter) => releaseColumn("last_release", filter),
  release: (filter) => {
    const { latest, match } = apart(matchOf(filter));
    return anyOf([
      ...latest ? [{ kind: "version", part: "latest", of: "release" } as const] : [],
      ...match.length > 0 ? [tag("release", match)] : [],
    ]);
  },
  regressed_in_release: (filter) => {
    const { latest, match } = apart(matchOf(filter));
    return anyOf([
      ...latest ? [{ kind: "version", part: "latest", of: "regressed_in" } as const] : [],
      ...match.length > 0 ? [{ kind: "regressed_in", match } as const] : [],
    ]);
  },
  ...Object.fromEntries(
    ["release.version", "release.package", "release.build", "release.stage"].map((
      key,
    ): [string, Reader] => [
      key,
      (filter) => understandVersion(key, filter, matchOf(filter)),
    ]),
  ),
  firstseen: timeOf("first_seen"),
  lastseen: timeOf("last_seen"),
  activesince: timeOf("status_changed_at"),
  "event.timestamp": oneTime((range) => ({ kind: "seen", ...range })),
  timesseen: countOf("times_seen"),
  usersseen: countOf("users_seen"),
};

/** Whether a key means something by itself, whether or not events carry a tag of that name. */
export function isIssueKey(key: string): boolean {
  return readerOf(key) !== undefined;
}

/** What one condition of a search means, or why it means nothing. */
export function understandFilter(
  filter: SearchFilter,
  context: KeyContext,
): IssueNode | Unclear {
  const read = filter.isTag ? undefined : readerOf(filter.key);
  const meaning = read === undefined ? tag(tagOf(filter), matchOf(filter)) : read(filter, context);
  return "reason" in meaning || !filter.isNegated ? meaning : not(meaning);
}

function readerOf(key: string): Reader | undefined {
  const known = nameOf(key);
  return Object.hasOwn(KEYS, known) ? KEYS[known] : undefined;
}

function nameOf(key: string): string {
  const lower = key.toLowerCase();
  return Object.hasOwn(ALIASES, lower) ? ALIASES[lower] ?? lower : lower;
}

function tagOf({ key, isTag }: Pick<SearchFilter, "key" | "isTag">): string {
  const lower = key.toLowerCase();
  return !isTag && Object.hasOwn(TAG_ALIASES, lower) ? TAG_ALIASES[lower] ?? key : key;
}

/** The values of a filter as patterns. */
function matchOf({ values }: SearchFilter): Match {
  return values.map(({ parts }) => parts);
}

/** A condition for values that are something; what asks for nothing asks that there is none. */
function filled(match: Match, make: (match: Match | null) => IssueNode): IssueNode {
  const some = match.filter((pattern) => pattern.length > 1 || pattern[0] !== "");
  const nodes = some.length === 0 ? [] : [make(some)];
  return anyOf(some.length === match.length ? nodes : [...nodes, not(make(null))]);
}

function tag(key: string, match: Match): IssueNode {
  return filled(match, (some) => ({ kind: "tag", key, match: some }));
}

function column(name: "platform" | "type" | "title" | "culprit", match: Match): IssueNode {
  return filled(match, (some) => ({ kind: "column", column: name, match: some }));
}

function error(field: "type" | "value", match: Match): IssueNode {
  return filled(match, (some) => ({ kind: "error", field, match: some }));
}

function stack(field: StackField, match: Match): IssueNode {
  return filled(match, (some) => ({ kind: "stack", field, match: some }));
}

/** SDKs are stored as `name/version`. */
function sdk(match: Match, whole: (pattern: Pattern, isWhole: boolean) => Pattern): IssueNode {
  return filled(match, (some) => ({
    kind: "tag",
    key: "sdk",
    match: some?.map((pattern) => whole(pattern, pattern.length === 1)) ?? null,
  }));
}

function releaseColumn(name: "first_release" | "last_release", filter: SearchFilter): IssueNode {
  const { latest, match } = apart(matchOf(filter));
  return anyOf([
    ...latest ? [{ kind: "version", part: "latest", of: name } as const] : [],
    ...match.length > 0
      ? [filled(match, (some) => ({ kind: "release", column: name, match: some }))]
      : [],
  ]);
}

function apart(match: Match): { readonly latest: boolean; readonly match: Match } {
  const isLatest = (pattern: Pattern) => pattern.length === 1 && pattern[0] === "latest";
  return { latest: match.some(isLatest), match: match.filter((pattern) => !isLatest(pattern)) };
}

/** A text is found anywhere: stars at its ends say nothing. */
function trimmed(pattern: Pattern): Pattern {
  const start = pattern.findIndex((part) => part !== "");
  const end = pattern.findLastIndex((part) => part !== "");
  return start === -1 ? [""] : pattern.slice(start, end + 1);
}

/** For keys whose values cannot come as a list. */
function oneWord(key: string, read: (value: string) => IssueNode | Unclear): Reader {
  return ({ isList, values: [value] }) =>
    isList || value === undefined
      ? { reason: t("Write {key}: for each value by itself, with OR between them", { key }) }
      : read(textOf(value));
}

/** For keys of which each value of a list is understood by itself. */
function eachValue(read: (value: string) => IssueNode | Unclear): Reader {
  return ({ values }) => {
    const nodes: IssueNode[] = [];
    for (const value of values) {
      const node = read(textOf(value));
      if ("reason" in node) return node;
      nodes.push(node);
    }
    return anyOf(nodes);
  };
}

function oneTime(
  make: (range: Exclude<ReturnType<typeof readTime>, Unclear>) => IssueNode,
): Reader {
  return ({ isList, values: [value] }, { now }) => {
    if (isList || value === undefined) return { reason: t("A time cannot be a list") };
    const range = readTime(textOf(value), now);
    return "reason" in range ? range : make(range);
  };
}

function timeOf(name: "first_seen" | "last_seen" | "status_changed_at"): Reader {
  return oneTime((range) => ({ kind: "time", column: name, ...range }));
}

function countOf(name: "times_seen" | "users_seen"): Reader {
  return eachValue((text) => {
    const number = readNumber(text);
    return "reason" in number ? number : { kind: "count", column: name, ...number };
  });
}

function hexId(value: string): string | null {
  const hex = value.replaceAll("-", "").toLowerCase();
  return isHexId(hex) ? hex : null;
}

const USER_FIELDS = Object.keys(USER_FACTS) as UserField[];
const PLAIN_COLUMNS = ["level", "platform", "title", "culprit"] as const;

function understandHas(value: string): IssueNode | Unclear {
  const key = nameOf(value);
  if (value === "") return { reason: t("Name a tag, as in has:browser") };
  const plain = PLAIN_COLUMNS.find((one) => one === key);
  if (plain !== undefined) return { kind: "column", column: plain, match: null };
  if (key === "error.type" || key === "error.value") {
    return { kind: "error", field: key === "error.type" ? "type" : "value", match: null };
  }
  if (key === "error.handled" || key === "error.unhandled") {
    return { kind: "tag", key: "handled", match: null };
  }
  if (key === "assigned") return ASSIGNED;
  if (key === "assigned_or_suggested") return ASSIGNED_OR_SUGGESTED;
  if (key === "issue.priority") return PRIORITY;
  const field = USER_FIELDS.find((one) => `user.${one}` === key);
  if (field !== undefined) return { kind: "user", field, match: null };
  const ofStack = STACK_FIELDS.find((one) => `stack.${one}` === key);
  if (ofStack !== undefined) return { kind: "stack", field: ofStack, match: null };
  if (key === "firstrelease") return { kind: "release", column: "first_release", match: null };
  if (key === "lastrelease") return { kind: "release", column: "last_release", match: null };
  if (key.startsWith("release.")) return { kind: "tag", key: "release", match: null };
  return { kind: "tag", key: tagOf({ key: value, isTag: false }), match: null };
}

function understandHandled(value: string, isOpposite: boolean): IssueNode | Unclear {
  const is = readBoolean(value);
  return typeof is === "boolean" ? handled(is !== isOpposite) : is;
}

function handled(is: boolean): IssueNode {
  return { kind: "tag", key: "handled", match: [[is ? "yes" : "no"]] };
}

function understandIs(value: string): IssueNode | Unclear {
  const word = value.toLowerCase();
  if (word === "handled" || word === "unhandled") return handled(word === "handled");
  return readIs(word) ?? { reason: t("An issue is {words}", { words: [...IS_WORDS].join(", ") }) };
}
