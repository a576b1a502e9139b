import { DAY_MS, HOUR_MS, MINUTE_MS } from "../core/time.ts";
import { LEVELS } from "../records/mod.ts";
import { parseSearch, type ReadValue, type SearchProblem } from "../ui/search_grammar.ts";

const UNIT_MS: Readonly<Record<string, number>> = {
  m: MINUTE_MS,
  h: HOUR_MS,
  d: DAY_MS,
  w: 7 * DAY_MS,
};
/** Years that Postgres and people can make something of. */
const YEARS = { min: 2000, max: 2999 };

type Meaning = { term: IssueTerm } | { status: IssueStatus };
type Understood = ReturnType<ReadValue<Meaning>>;

/** Keys with a meaning of their own; every other key is a tag. Sentry's spellings are understood as well. */
const KEYS: Readonly<Record<string, ReadValue<Meaning>>> = {
  is: understandIs,
  has: understandHas,
  level: (value) => {
    const levels: readonly string[] = LEVELS;
    return levels.includes(value)
      ? { term: { kind: "column", column: "level", value } }
      : { reason: `The levels are ${LEVELS.join(", ")}` };
  },
  platform: (value) => ({ term: { kind: "column", column: "platform", value } }),
  user: (value) => ({ term: { kind: "user", value } }),
  "user.id": (value) => ({ term: { kind: "user", value: `id:${value}` } }),
  "user.username": (value) => ({ term: { kind: "user", value: `username:${value}` } }),
  "user.email": (value) => ({ term: { kind: "user", value: `email:${value}` } }),
  "user.ip": (value) => ({ term: { kind: "user", value: `ip:${value}` } }),
  "error.type": (value) => ({ term: { kind: "error", field: "type", value } }),
  "error.value": (value) => ({ term: { kind: "error", field: "value", value } }),
  "error.mechanism": (value) => ({ term: { kind: "tag", key: "mechanism", value } }),
  "error.handled": (value) => understandHandled(value, false),
  "error.unhandled": (value) => understandHandled(value, true),
  "http.url": (value) => ({ term: { kind: "tag", key: "url", value } }),
  trace: (value) =>
    /^[0-9a-f]{32}$/i.test(value)
      ? { term: { kind: "trace", traceId: value.toLowerCase() } }
      : { reason: "A trace id has 32 hexadecimal digits" },
  firstrelease: (value) => ({ term: { kind: "release", column: "first_release", value } }),
  lastrelease: (value) => ({ term: { kind: "release", column: "last_release", value } }),
  firstseen: (value, { now }) => understandTime("first_seen", value, now),
  lastseen: (value, { now }) => understandTime("last_seen", value, now),
  timesseen: (value) => understandCount("times_seen", value),
  usersseen: (value) => understandCount("users_seen", value),
};

/** The tags that a search names by their own keys, of which there may be none: not those that only we call so. */
export function tagKeysIn({ terms }: IssueFilter): string[] {
  const ours = Object.values(ALIASES);
  return terms.flatMap((term) => term.kind === "tag" && !ours.includes(term.key) ? [term.key] : []);
}

/**
 * Understands what was typed into the search box of issues; see `parseSearch()`.
 *
 * @param now what relative times such as `firstSeen:-24h` count from
 */
export function parseIssueSearch(text: string, now: Date = new Date()): IssueSearch {
  const otherKey = (key: string, value: string): Meaning => ({ term: { kind: "tag", key, value } });
  const { words, found, problems } = parseSearch(text, { keys: KEYS, otherKey }, now);
  const terms: (IssueTerm & { negated: boolean })[] = [];
  const statuses = new Set<IssueStatus>();
  for (const { token: { negated }, meaning } of found) {
    if ("term" in meaning) terms.push({ ...meaning.term, negated });
    else for (const status of statusesMeant(meaning.status, negated)) statuses.add(status);
  }
  const filter: IssueFilter = { text: words, terms };
  return statuses.size === 0 ? { filter, problems } : { filter, statuses: [...statuses], problems };
}

/** Other names of tags that come from what events say. */
const ALIASES: Readonly<Record<string, string>> = {
  "error.handled": "handled",
  "error.mechanism": "mechanism",
  "http.url": "url",
};

function understandHas(value: string): Understood {
  const key = value.toLowerCase();
  if (value === "") return { reason: "Name a tag, as in has:browser" };
  if (key === "error.type" || key === "error.value") {
    return { term: { kind: "error", field: key === "error.type" ? "type" : "value", value: null } };
  }
  const user = /^user\.(id|username|email|ip)$/.exec(key)?.[1];
  if (user !== undefined) return { term: { kind: "user", value: `${user}:*` } };
  const alias = Object.hasOwn(ALIASES, key) ? ALIASES[key] : undefined;
  return { term: { kind: "tag", key: alias ?? value, value: null } };
}

const YES = ["true", "yes", "1"];
const NO = ["false", "no", "0"];

function understandHandled(value: string, isOpposite: boolean): Understood {
  const word = value.toLowerCase();
  if (!YES.includes(word) && !NO.includes(word)) return { reason: "Write true or false" };
  return handled(YES.includes(word) !== isOpposite);
}

function handled(is: boolean): Understood {
  return { term: { kind: "tag", key: "handled", value: is ? "yes" : "no" } };
}

function understandIs(value: string): Understood {
  if (value === "handled" || value === "unhandled") return handled(value === "handled");
  const status = ISSUE_STATUSES.find((one) => one === value);
  if (status !== undefined) return { status };
  // Sentry's newer word for it.
  if (value === "archived") return { status: "ignored" };
  if (value === "regressed") return { term: { kind: "regressed" } };
  return { reason: `An issue is ${ISSUE_STATUSES.join(", ")}, regressed, handled or unhandled` };
}

function statusesMeant(status: IssueStatus, negated: boolean): IssueStatus[] {
  return negated ? ISSUE_STATUSES.filter((one) => one !== status) : [status];
}

/** `-24h`: within the last 24 hours; `+24h`: longer ago; `>2026-11-01` and `<2026-11-01`: after, before. */
function understandTime(
  column: "first_seen" | "last_seen",
  value: string,
  now: Date,
): Understood {
  const relative = /^([+-])(\d{1,4})([mhdw])$/.exec(value);
  if (relative !== null) {
    const [, sign, count, unit = ""] = relative;
    const at = new Date(now.getTime() - Number(count) * (UNIT_MS[unit] ?? 0));
    return { term: { kind: "time", column, after: sign === "-", at } };
  }
  const absolute = /^([<>])=?(\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?Z?)?)$/.exec(
    value,
  );
  const text = absolute?.[2] ?? "";
  const at = new Date(text.includes("T") && !text.endsWith("Z") ? `${text}Z` : text);
  const year = at.getUTCFullYear();
  if (absolute === null || !(year >= YEARS.min && year <= YEARS.max)) {
    return { reason: "Write -24h (within), +7d (longer ago), >2026-11-01 or <2026-11-01" };
  }
  return { term: { kind: "time", column, after: absolute[1] === ">", at } };
}

function understandCount(column: "times_seen" | "users_seen", value: string): Understood {
  const match = /^(>=|<=|>|<|=)?(\d{1,12})$/.exec(value);
  if (match === null) return { reason: "Write a number, as in >100, <=5 or 1" };
  const operator = OPERATORS.find((one) => one === match[1]) ?? "=";
  return { term: { kind: "count", column, operator, value: Number(match[2]) } };
}

const OPERATORS: readonly CountOperator[] = [">=", "<=", ">", "<", "="];

/** One condition of a search, all of which must hold. */
export type IssueTerm =
  | {
    readonly kind: "column";
    readonly column: "level" | "platform" | "type";
    readonly value: string;
  }
  | {
    readonly kind: "release";
    readonly column: "first_release" | "last_release";
    readonly value: string;
  }
  /** `value` may hold `*` for any characters; null asks for any value at all. */
  | { readonly kind: "tag"; readonly key: string; readonly value: string | null }
  /**
   * The issue happened to a user, as `id:7`, `email:a@b.c`, or `a@b.c` for any kind of name; `*` stands for any characters.
   */
  | { readonly kind: "user"; readonly value: string }
  /** Some event of the issue belongs to the trace: 32 lower-case hex digits. */
  | { readonly kind: "trace"; readonly traceId: string }
  /** An exception of the issue; `*` stands for any characters, null asks for any at all. */
  | { readonly kind: "error"; readonly field: "type" | "value"; readonly value: string | null }
  | { readonly kind: "regressed" }
  | {
    readonly kind: "time";
    readonly column: "first_seen" | "last_seen";
    readonly after: boolean;
    readonly at: Date;
  }
  | {
    readonly kind: "count";
    readonly column: "times_seen" | "users_seen";
    readonly operator: CountOperator;
    readonly value: number;
  };

type CountOperator = ">" | ">=" | "<" | "<=" | "=";

/** What the search box asks for, understood. */
export interface IssueFilter {
  /** Each must occur in the title, the culprit or the message, in either case. */
  readonly text: readonly string[];
  readonly terms: readonly (IssueTerm & { readonly negated: boolean })[];
}

export interface IssueSearch {
  readonly filter: IssueFilter;
  /** What `is:` asks for; absent when the search leaves the status open. */
  readonly statuses?: readonly IssueStatus[];
  readonly problems: readonly SearchProblem[];
}

export const ISSUE_STATUSES = ["unresolved", "resolved", "ignored"] as const;
export type IssueStatus = (typeof ISSUE_STATUSES)[number];
