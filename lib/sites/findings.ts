/** What there is to say of a site in the morning: whether it is up, and a line for each thing that was looked at. */
import { type Message, t } from "../core/language/translate.ts";
import { probeWords, targetWords, uptimeWords } from "../monitors/mod.ts";
import type { PageScope } from "../releases/request_scope.ts";
import { formatCount, formatDuration, formatPercent, formatRelative } from "../ui/format.ts";
import { visible } from "../ui/json.ts";
import { monitorPath, monitorsPath, sectionPath, setupPath, transactionHref } from "../ui/links.ts";
import { scopedHref } from "../ui/scope.ts";
import { formatVital, type Rating, ratingOf, type Vital, VITALS } from "../traces/mod.ts";
import {
  PAGE_ERRORS,
  type Part,
  type SiteErrors,
  type SiteOverview,
  type SlowPage,
} from "./overview.ts";
import { firstCertificate, firstDomain, type WatchedMonitor } from "./site_uptime.ts";

export type Verdict = "ok" | "warning" | "danger" | "neutral";

/** Whether the site is up. */
export interface Answer {
  readonly verdict: Verdict;
  /** A whole sentence: `Your site is up.` */
  readonly title: string;
  /** What it rests on, in whole sentences. */
  readonly words: string;
}

/** One thing that was looked at. */
export interface Finding {
  readonly verdict: Verdict;
  /** A whole sentence. */
  readonly words: string;
  /** The page that explains it. */
  readonly href: string;
}

/** Whether the site is up, as far as its monitors know. */
export function answerOf(
  uptime: SiteOverview["uptime"],
  now: Date,
): Answer {
  if (uptime.kind === "failed") {
    return {
      verdict: "neutral",
      title: t("It could not be read whether your site is up."),
      words: uptime.sentence,
    };
  }
  const watched = uptime.value.filter(({ state }) => state !== "paused");
  if (watched.length === 0) {
    return uptime.value.length === 0
      ? {
        verdict: "neutral",
        title: t("Nobody checks yet whether your site is up."),
        words: t(
          "A monitor asks it every minute from outside, tells you when it does not answer, and watches its certificate. Nothing is installed for it.",
        ),
      }
      : {
        verdict: "neutral",
        title: t("Nobody checks just now whether your site is up."),
        words: t("Its monitors are paused."),
      };
  }
  const of = (state: WatchedMonitor["state"]) => watched.filter((each) => each.state === state);
  const down = of("down");
  if (down.length > 0) return isDown(down, watched.length, now);
  const slow = of("degraded");
  if (slow.length > 0) {
    return {
      verdict: "warning",
      title: t("Your site is up, but slow to answer."),
      words: `${namesOf(slow)}: ${
        probeWords(slow[0]?.monitor.lastError ?? "") || t("slower than it should be.")
      }`,
    };
  }
  const unknown = of("unknown");
  const up = of("up");
  if (up.length === 0) return notKnown(unknown, now);
  const missing = unknown.length === 0
    ? []
    : [t("Not measured just now: {names}.", { names: namesOf(unknown) })];
  return {
    verdict: "ok",
    title: t("Your site is up."),
    words: [...upWords(up, now), ...missing].join(" "),
  };
}

function isDown(down: readonly WatchedMonitor[], total: number, now: Date): Answer {
  const [first] = down;
  const isAll = down.length === total;
  const since = first === undefined
    ? ""
    : ` ${t("It began {ago}.", { ago: formatRelative(first.monitor.since, now) })}`;
  return {
    verdict: "danger",
    title: isAll ? t("Your site is down.") : t("A part of your site is down."),
    words: `${namesOf(down)}: ${
      probeWords(first?.monitor.lastError ?? "") || t("it does not respond.")
    }${since}`,
  };
}

function notKnown(unknown: readonly WatchedMonitor[], now: Date): Answer {
  const [first] = unknown;
  if (first === undefined) {
    return {
      verdict: "neutral",
      title: t("Your site is in maintenance."),
      words: t("A maintenance window is open: no notifications are sent when a check fails."),
    };
  }
  const { checkedAt, isCutOff } = first.monitor;
  return {
    verdict: "neutral",
    title: checkedAt === null
      ? t("The first check is still to come.")
      : t("It is not known just now whether your site is up."),
    words: checkedAt === null
      ? t("Reload the page in a minute.")
      : isCutOff
      ? t("Watchpost itself seems to have no network.")
      : t("The last check was {ago}.", { ago: formatRelative(checkedAt, now) }),
  };
}

function upWords(up: readonly WatchedMonitor[], now: Date): string[] {
  const checked = up.flatMap(({ monitor }) => monitor.checkedAt?.getTime() ?? []);
  const last = checked.length === 0
    ? []
    : [t("Checked {ago}.", { ago: formatRelative(new Date(Math.max(...checked)), now) })];
  const lowest = up.flatMap(({ lastDay }) => lastDay ?? []).sort((a, b) => a - b)[0];
  return lowest === undefined
    ? last
    : [...last, t("Up {share} of the last 24 hours.", { share: uptimeWords(lowest) })];
}

const NAMED = 3;
/** Of a name within a sentence; its own page has all of it. */
const MAX_SPOKEN = 60;

/** A name as it stands within a sentence. */
function spoken(name: string): string {
  const text = visible(name);
  return text.length <= MAX_SPOKEN ? text : `${text.slice(0, MAX_SPOKEN).toWellFormed()}…`;
}

function namesOf(watched: readonly WatchedMonitor[]): string {
  const names = watched.slice(0, NAMED).map(({ monitor }) => spoken(monitor.name));
  const more = watched.length - names.length;
  const all = names.join(", ");
  return more > 0 ? t("{names} and {n} more|{names} and {n} more", { names: all, n: more }) : all;
}

/** A line for each thing that was looked at, always in the same order. */
export function findingsOf(site: SiteOverview, pageScope: PageScope): Finding[] {
  return [
    outages(site.uptime, pageScope),
    certificate(site.uptime, pageScope),
    domain(site.uptime, pageScope),
    ...sendsNothing(site) ? [nothingSent(pageScope)] : [
      errors(site.errors, pageScope),
      vitals(site.vitals, pageScope),
      slowPages(site.pages, pageScope),
    ],
    release(site.release, pageScope),
  ].filter((finding) => finding !== null);
}

/** Whether no visitor's browser has told anything in the time and scope of the page. */
export function sendsNothing({ errors, vitals, pages }: SiteOverview): boolean {
  return errors.kind === "read" && vitals.kind === "read" && pages.kind === "read" &&
    errors.value.count === 0 && vitals.value.size === 0 && pages.value.length === 0;
}

function outages(
  uptime: SiteOverview["uptime"],
  { project: { id } }: PageScope,
): Finding | null {
  const href = monitorsPath(id);
  if (uptime.kind === "failed") return unread(t("Uptime"), uptime.sentence, href);
  const hit = uptime.value.filter(({ downSec }) => downSec > 0)
    .sort((a, b) => b.downSec - a.downSec);
  const [worst] = hit;
  if (worst === undefined) {
    const measured = uptime.value.filter(({ share }) => share !== null);
    if (measured.length === 0) return null;
    return { verdict: "ok", words: t("It was never down in this time."), href };
  }
  const { monitor, downSec, share } = worst;
  const more = hit.length - 1;
  return {
    verdict: hit.some(({ state }) => state === "down") ? "danger" : "warning",
    words: joined(
      t("{name} was down for {duration} in this time (up {share})", {
        name: spoken(monitor.name),
        duration: formatDuration(downSec * 1_000),
        share: uptimeWords(share),
      }),
      more > 0 && t("{n} more monitor failed|{n} more monitors failed", { n: more }),
    ),
    href: monitorPath(id, monitor.monitorId),
  };
}

/** Parts of one sentence. */
function joined(...parts: readonly (string | false)[]): string {
  return `${parts.filter((part) => part !== false).join("; ")}.`;
}

/** Sooner than this it is urgent, in days. */
const URGENT_DAYS = 7;

function certificate(
  uptime: SiteOverview["uptime"],
  { project: { id } }: PageScope,
): Finding | null {
  const first = uptime.kind === "read" ? firstCertificate(uptime.value) : null;
  if (first === null) return null;
  const { monitor, certificate: { daysLeft, problem, warnFrom } } = first;
  const href = monitorPath(id, monitor.monitorId);
  const host = spoken(targetHost(monitor));
  if (problem !== null) {
    return {
      verdict: "danger",
      words: t("The certificate of {host} is not trusted: {problem}", { host, problem }),
      href,
    };
  }
  if (daysLeft < 0) {
    return {
      verdict: "danger",
      words: t("The certificate of {host} has expired. Renew it.", { host }),
      href,
    };
  }
  return daysLeft > warnFrom
    ? {
      verdict: "ok",
      words: t(
        "The certificate of {host} is valid for another {n} day.|The certificate of {host} is valid for another {n} days.",
        { host, n: daysLeft },
      ),
      href,
    }
    : {
      verdict: daysLeft <= URGENT_DAYS ? "danger" : "warning",
      words: t(
        "The certificate of {host} ends in {n} day. Renew it.|The certificate of {host} ends in {n} days. Renew it.",
        { host, n: daysLeft },
      ),
      href,
    };
}

/** Nothing while no registry has told. */
function domain(
  uptime: SiteOverview["uptime"],
  { project: { id }, now }: PageScope,
): Finding | null {
  const first = uptime.kind === "read" ? firstDomain(uptime.value, now) : null;
  if (first === null) return null;
  const { monitor, daysLeft } = first;
  const href = monitorPath(id, monitor.monitorId);
  const host = spoken(monitor.domain);
  if (daysLeft < 0) {
    return {
      verdict: "danger",
      words: t("The registration of {host} has ended. Renew it.", { host }),
      href,
    };
  }
  return daysLeft > (monitor.certificateDays[0] ?? 0)
    ? {
      verdict: "ok",
      words: t(
        "The registration of {host} lasts another {n} day.|The registration of {host} lasts another {n} days.",
        { host, n: daysLeft },
      ),
      href,
    }
    : {
      verdict: daysLeft <= URGENT_DAYS ? "danger" : "warning",
      words: t(
        "The registration of {host} ends in {n} day. Renew it.|The registration of {host} ends in {n} days. Renew it.",
        { host, n: daysLeft },
      ),
      href,
    };
}

function targetHost({ host, target }: WatchedMonitor["monitor"]): string {
  return host || targetWords(target);
}

function nothingSent({ project: { id }, scope }: PageScope): Finding {
  const isNarrow = scope.environments.length + scope.releases.length + scope.services.length > 0;
  return {
    verdict: "neutral",
    words: isNarrow
      ? t("Visitors' browsers sent nothing in this time, environment and release.")
      : t("Visitors' browsers sent nothing in this time. Is the line in your pages?"),
    href: setupPath(id, "sites"),
  };
}

/** A change below this share is none. */
const NOTABLE = 0.2;
/** So few more are none either. */
const NOTABLE_COUNT = 5;

/** Whether there are notably more errors than in the time before. */
function isWorse({ count, before }: SiteErrors): boolean {
  return count - before >= NOTABLE_COUNT && count > before * (1 + NOTABLE);
}

function errors(part: Part<SiteErrors>, { project: { id }, scope }: PageScope): Finding {
  const href = scopedHref(sectionPath(id, "issues"), scope, { query: PAGE_ERRORS, sort: "events" });
  if (part.kind === "failed") return unread(t("JavaScript errors"), part.sentence, href);
  const { count, before } = part.value;
  if (count === 0) return { verdict: "ok", words: t("No JavaScript errors."), href };
  return {
    verdict: isWorse(part.value) ? "warning" : "neutral",
    words: t("{count} JavaScript error, {change}.|{count} JavaScript errors, {change}.", {
      n: count,
      count: formatCount(count),
      change: againstBefore(count, before),
    }),
    href,
  };
}

/** How a count is against that of the time before, in words. */
export function againstBefore(count: number, before: number): string {
  if (before === 0) return t("none in the time before");
  if (count === before) return t("as many as in the time before");
  const change = count / before - 1;
  if (Math.abs(change) < 0.05) return t("about as many as in the time before");
  if (change > 1) {
    const times = formatCount(Math.round(count / before * 10) / 10);
    return t("{times} times as many as in the time before", { times });
  }
  const size = formatPercent(Math.abs(change));
  return change > 0
    ? t("{size} more than in the time before", { size })
    : t("{size} fewer than in the time before", { size });
}

/** The three that Google judges a page by, each with what people feel when it is bad. */
const FELT: Partial<Readonly<Record<Vital["name"], Message>>> = {
  lcp: "For visitors, pages show their content late: {value}",
  inp: "For visitors, pages respond to clicks late: {value}",
  cls: "For visitors, pages jump about while they load: {value}",
};
const BADNESS: Readonly<Record<Rating, number>> = { good: 0, "needs improvement": 1, poor: 2 };

function vitals(part: SiteOverview["vitals"], { project: { id }, scope }: PageScope): Finding {
  const href = scopedHref(sectionPath(id, "web-vitals"), scope);
  if (part.kind === "failed") return unread(t("Web Vitals"), part.sentence, href);
  const judged = VITALS.flatMap((vital) => {
    const value = part.value.get(vital.name)?.sketch.quantile(0.75) ?? null;
    const rating = ratingOf(vital, value);
    const felt = FELT[vital.name];
    return rating === null || felt === undefined ? [] : [{ vital, value, rating, felt }];
  });
  const [worst] = judged.toSorted((a, b) => BADNESS[b.rating] - BADNESS[a.rating]);
  if (worst === undefined) {
    return { verdict: "neutral", words: t("How pages feel was not measured in this time."), href };
  }
  const { vital, value, rating, felt } = worst;
  if (rating === "good") {
    const all = judged.map((each) => `${each.vital.label} ${formatVital(each.vital, each.value)}`);
    return {
      verdict: "ok",
      words: t("Pages feel good: {values}.", { values: all.join(", ") }),
      href,
    };
  }
  return {
    verdict: rating === "poor" ? "danger" : "warning",
    words: t(felt, { value: ratedWords(vital, value, rating) }),
    href,
  };
}

function ratedWords(vital: Vital, value: number | null, rating: Rating): string {
  const measured = `${vital.label} ${formatVital(vital, value)}`;
  return rating === "poor"
    ? t("{measured} is poor.", { measured })
    : t("{measured} needs improvement.", { measured });
}

/** Google calls content poor that comes later than this, in milliseconds; a load that takes longer is slow as well. */
const SLOW_MS = 4_000;

function slowPages(
  part: Part<readonly SlowPage[]>,
  { project: { id }, scope }: PageScope,
): Finding {
  const all = scopedHref(sectionPath(id, "transactions"), scope, { op: "pageload", sort: "-p75" });
  if (part.kind === "failed") return unread(t("Page loads"), part.sentence, all);
  const [slowest] = part.value;
  if (slowest === undefined) {
    return { verdict: "neutral", words: t("No page load was measured in this time."), href: all };
  }
  const { name, p75 } = slowest;
  return {
    verdict: p75 > SLOW_MS ? "warning" : "ok",
    words: t("The slowest page is {name}: one load in four takes longer than {p75}.", {
      name: spoken(name),
      p75: formatDuration(p75),
    }),
    href: transactionHref(id, scope, name),
  };
}

/** Of sessions that end in a crash, 0 to 1. */
const CRASHES = { many: 0.01, tooMany: 0.05 };

function release(
  part: SiteOverview["release"],
  { project: { id }, scope, now }: PageScope,
): Finding | null {
  const href = scopedHref(sectionPath(id, "releases"), scope);
  if (part.kind === "failed") return unread(t("Releases"), part.sentence, href);
  if (part.value === null) return null;
  const { release: name, firstSeen, isOlder, sessions, crashedSessions, newIssues } = part.value;
  const since = isOlder
    ? t("older than this time")
    : t("first seen {ago}", { ago: formatRelative(firstSeen, now) });
  const crashes = sessions === 0 ? null : crashedSessions / sessions;
  return {
    verdict: crashes === null
      ? "neutral"
      : crashes >= CRASHES.tooMany
      ? "danger"
      : crashes >= CRASHES.many
      ? "warning"
      : "ok",
    words: joined(
      t("The newest release is {name}, {since}", { name: spoken(name), since }),
      crashes !== null &&
        t("{share} of its sessions ended without a crash", { share: formatPercent(1 - crashes) }),
      newIssues > 0 && t("{n} new issue|{n} new issues", { n: newIssues }),
    ),
    href,
  };
}

function unread(what: string, sentence: string, href: string): Finding {
  return { verdict: "neutral", words: `${what}: ${sentence}`, href };
}
