/** What goes out at once, one notice or several of them when many wait, and its words. */
import { type Language, message, t } from "../../core/language/translate.ts";

export type NoticeState = "firing" | "resolved" | "no_data" | "test";
export type Severity = "critical" | "warning" | "info";

/** What goes out through a channel: made by alerts, worded by each type of channel. */
export interface Notice {
  readonly projectId: string;
  readonly projectName: string;
  readonly state: NoticeState;
  readonly severity: Severity;
  /** One line: what is wrong, as "p95 of GET /cart is 1.32 s". */
  readonly title: string;
  /** A sentence or a few; plain text. */
  readonly text: string;
  /** Absolute address of what to look at: the issue, or the explorer at that time. */
  readonly url: string;
  /** Address of the alert rule, or null. */
  readonly ruleUrl: string | null;
  readonly ruleName: string;
  readonly facts: readonly { readonly label: string; readonly value: string }[];
  /** The same for everything about one incident, as PagerDuty wants: firing and resolved have one key. */
  readonly incidentKey: string;
  /** Of an alert about issues. */
  readonly issueId?: string;
  readonly occurredAt: Date;
  /** Of its words. @default en */
  readonly language?: Language;
}

interface MessageItem {
  readonly noticeId: string;
  readonly notice: Notice;
}

export interface Message {
  /** UUID; the same at every attempt. */
  readonly messageId: string;
  readonly items: readonly [MessageItem, ...MessageItem[]];
}

export type Tone = "critical" | "warning" | "info" | "ok";

/** A message in words, plain text throughout, for every kind of channel to set in its own way. */
export interface Wording {
  /** One line, as `[Critical] p95 of GET /cart is 1.32 s`. */
  readonly headline: string;
  readonly tone: Tone;
  /** What to look at; null for several notices at once. */
  readonly url: string | null;
  /** A sentence or a few; `""` for several notices at once. */
  readonly text: string;
  readonly facts: readonly { readonly label: string; readonly value: string }[];
  /** Of several notices the headline of each. */
  readonly entries: readonly { readonly headline: string; readonly url: string }[];
  readonly rule: { readonly name: string; readonly url: string } | null;
  readonly projectName: string;
  readonly occurredAt: Date;
}

const MAX_HEADLINE = 240;
const MAX_TEXT = 1_000;
const MAX_FACTS = 10;
const MAX_LABEL = 60;
const MAX_VALUE = 200;
/** Chats refuse longer ones; the explorer's may be. */
const MAX_URL = 2_000;
const MAX_ENTRY_URL = 300;
/** More are counted only: chats end messages at 4,000 characters or less. */
const MAX_ENTRIES = 12;
const MAX_ENTRY = 120;

/** Puts a message into words. */
export function wordingOf({ items }: Message): Wording {
  const [{ notice }] = items;
  return items.length === 1
    ? wordingOfOne(notice)
    : wordingOfMany(items.map((item) => item.notice));
}

function wordingOfOne(notice: Notice): Wording {
  return {
    headline: headlineOf(notice, MAX_HEADLINE),
    tone: toneOf(notice),
    url: shortUrlOf(notice, MAX_URL),
    text: cut(notice.text.trim(), MAX_TEXT),
    facts: notice.facts.slice(0, MAX_FACTS).map(({ label, value }) => ({
      label: cut(oneLine(label), MAX_LABEL),
      value: cut(oneLine(value), MAX_VALUE),
    })),
    entries: [],
    rule: notice.ruleUrl === null
      ? null
      : { name: cut(oneLine(notice.ruleName), MAX_LABEL), url: notice.ruleUrl },
    projectName: notice.projectName,
    occurredAt: notice.occurredAt,
  };
}

function wordingOfMany(notices: readonly Notice[]): Wording {
  const last = notices.at(-1);
  if (last === undefined) throw new RangeError("A message has at least one notice");
  const left = notices.length - MAX_ENTRIES;
  return {
    headline: t(
      "{n} notification of {project}: {counts}|{n} notifications of {project}: {counts}",
      {
        n: notices.length,
        project: last.projectName,
        counts: countsOf(notices),
      },
    ),
    tone: worstTone(notices),
    url: null,
    text: left > 0
      ? t("The newest {most} of them; {left} more came before.", { most: MAX_ENTRIES, left })
      : "",
    facts: [],
    entries: notices.slice(-MAX_ENTRIES).map((notice) => ({
      headline: headlineOf(notice, MAX_ENTRY),
      url: shortUrlOf(notice, MAX_ENTRY_URL),
    })),
    rule: null,
    projectName: last.projectName,
    occurredAt: last.occurredAt,
  };
}

const STATE_WORDS = {
  resolved: message("Resolved"),
  no_data: message("No data"),
  test: message("Test"),
} as const;
const SEVERITY_WORDS = {
  critical: message("Critical"),
  warning: message("Warning"),
  info: message("Info"),
} as const;

function headlineOf(notice: Notice, limit: number): string {
  const word = notice.state === "firing"
    ? SEVERITY_WORDS[notice.severity]
    : STATE_WORDS[notice.state];
  return cut(`[${t(word)}] ${oneLine(notice.title)}`, limit);
}

/** Where to look, or where the rule is when that address is too long. */
function shortUrlOf({ url, ruleUrl }: Notice, limit: number): string {
  return url.length <= limit ? url : ruleUrl ?? url;
}

function toneOf({ state, severity }: Notice): Tone {
  if (state === "resolved") return "ok";
  return state === "test" ? "info" : severity;
}

function worstTone(notices: readonly Notice[]): Tone {
  const tones = new Set(notices.map(toneOf));
  return (["critical", "warning", "info"] as const).find((tone) => tones.has(tone)) ?? "ok";
}

/** As `5 firing, 2 resolved`. */
function countsOf(notices: readonly Notice[]): string {
  const words = {
    firing: message("{n} firing|{n} firing"),
    no_data: message("{n} without data|{n} without data"),
    resolved: message("{n} resolved|{n} resolved"),
    test: message("{n} test|{n} tests"),
  };
  return Object.entries(words).flatMap(([state, word]) => {
    const n = notices.filter((notice) => notice.state === state).length;
    return n === 0 ? [] : [t(word, { n })];
  }).join(", ");
}

/** The text without line breaks and doubled blanks. */
export function oneLine(text: string): string {
  return text.replace(/\s+/gu, " ").trim();
}

/** Takes no room, and ends a word. */
export const UNSEEN = "\u200b";

/** The text with names that nobody is called by: titles come from applications. */
export function withoutMentions(text: string): string {
  return text.replaceAll(/@(?=\w)/g, `@${UNSEEN}`);
}

/** The text, or its beginning and `…` when it is longer; never half a character. */
export function cut(text: string, limit: number): string {
  const whole = text.toWellFormed();
  if (whole.length <= limit) return whole;
  return `${whole.slice(0, limit - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}
