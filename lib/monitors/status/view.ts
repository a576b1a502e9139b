/** A status page as the public sees it: what was measured together with what people wrote. */
import { type Message, message } from "../../core/language/translate.ts";
import { keyOf } from "../../accounts/kv.ts";
import { DAY_MS, MINUTE_MS } from "../../core/time.ts";
import type { EntryState, MeasuredEntry } from "./days.ts";
import { firstDay, type Measured } from "./measured.ts";
import { type Impact, listPosts, type Phase, phaseOf, type StatusPost } from "./posts.ts";
import { readSnapshot } from "./snapshot.ts";
import { entryKey, type PageEntry, type StatusPage } from "./status_page.ts";

/** How everything together stands. */
export type Overall = "up" | "degraded" | "partial" | "down" | "maintenance" | "unknown";

/** A monitor as the public sees it: neither its target nor what was wrong with it. */
export interface ShownEntry {
  readonly name: string;
  readonly badge: string;
  readonly state: EntryState;
  readonly measured: MeasuredEntry | null;
}

export interface ShownGroup {
  /** `""`: those without a group. */
  readonly name: string;
  readonly entries: readonly ShownEntry[];
}

export interface ShownPost extends Omit<StatusPost, "entries" | "organizationId"> {
  readonly phase: Phase;
  /** Public names of the monitors that it is about. */
  readonly names: readonly string[];
}

export interface StatusView {
  readonly page: StatusPage;
  /** Where the public finds it, without a slash at its end. */
  readonly url: string;
  readonly overall: Overall;
  readonly groups: readonly ShownGroup[];
  /** Open incidents and maintenance under way, newest first. */
  readonly open: readonly ShownPost[];
  /** Planned maintenance, the soonest first. */
  readonly upcoming: readonly ShownPost[];
  /** What is over, of the last 90 days. */
  readonly past: readonly ShownPost[];
  /** Of what moment the measured state is; null: nothing was measured yet. */
  readonly asOf: Date | null;
  /** The state could not be read anew for a while. */
  readonly isStale: boolean;
  /** The day of the first bar. */
  readonly firstDay: Date;
}

/** The state is read each minute; after so long it is said that it is old. */
const STALE_MS = 5 * MINUTE_MS;
const PAST_DAYS = 90;
const MAX_PAST = 30;

/** What a page shows is the same as long as these are, and the clock has not moved on. */
export async function viewVersion(kv: Deno.Kv, organizationId: string): Promise<string> {
  const entries = await kv.getMany([
    keyOf.statusRevision(organizationId),
    keyOf.statusSnapshot(organizationId),
  ]);
  return entries.map(({ versionstamp }) => versionstamp ?? "-").join("/");
}

/** Reads what a page shows, from Deno KV alone. */
export async function loadView(
  kv: Deno.Kv,
  page: StatusPage,
  url: string,
  now: Date,
): Promise<StatusView> {
  const [measured, posts] = await Promise.all([
    readSnapshot(kv, page.organizationId),
    listPosts(kv, page.organizationId),
  ]);
  return viewOf(page, url, measured, posts, now);
}

/** Puts together what a page shows. */
export function viewOf(
  page: StatusPage,
  url: string,
  measured: Measured | null,
  posts: readonly StatusPost[],
  now: Date,
): StatusView {
  const shown = posts.map((post) => shownPost(post, page.entries, now));
  const open = posts.filter((post) => phaseOf(post, now) === "open");
  // A monitor that was deleted leaves the page by itself, once somebody has looked.
  const entries = page.entries.filter((entry) =>
    measured === null || entryKey(entry) in measured.entries
  );
  const states = entries.map((entry) => stateOf(entry, measured, open));
  const groups = new Map<string, ShownEntry[]>();
  entries.forEach((entry, place) => {
    const group = groups.get(entry.group) ?? [];
    groups.set(entry.group, group);
    group.push({
      name: entry.name,
      badge: entry.badge,
      state: states[place] ?? "unknown",
      measured: measured?.entries[entryKey(entry)] ?? null,
    });
  });
  const asOf = measured === null ? null : new Date(measured.measuredAt);
  const oldest = now.getTime() - PAST_DAYS * DAY_MS;
  return {
    page,
    url,
    overall: overallOf(states, open),
    groups: [...groups].map(([name, entries]) => ({ name, entries })),
    open: shown.filter(({ phase }) => phase === "open"),
    upcoming: shown.filter(({ phase }) => phase === "upcoming")
      .sort((a, b) => a.startsAt.getTime() - b.startsAt.getTime()),
    past: shown.filter(({ phase, startsAt }) => phase === "past" && startsAt.getTime() >= oldest)
      .slice(0, MAX_PAST),
    asOf,
    isStale: asOf !== null && now.getTime() - asOf.getTime() > STALE_MS,
    firstDay: firstDay(asOf ?? now),
  };
}

function shownPost(post: StatusPost, entries: readonly PageEntry[], now: Date): ShownPost {
  const { entries: keys, organizationId: _, ...rest } = post;
  const names = entries.filter((entry) => keys.includes(entryKey(entry))).map(({ name }) => name);
  return { ...rest, phase: phaseOf(post, now), names };
}

const WORST: readonly EntryState[] = ["unknown", "up", "degraded", "down"];
const IMPACT_STATES: Readonly<Record<Impact, EntryState>> = {
  none: "unknown",
  degraded: "degraded",
  partial: "degraded",
  down: "down",
};

/** As measured, unless people say that it is worse, or that it is being worked on. */
function stateOf(
  entry: PageEntry,
  measured: Measured | null,
  open: readonly StatusPost[],
): EntryState {
  const key = entryKey(entry);
  const about = open.filter(({ entries }) => entries.includes(key));
  const state = measured?.entries[key]?.state ?? "unknown";
  if (state === "maintenance" || about.some(({ kind }) => kind === "maintenance")) {
    return "maintenance";
  }
  const said = about.map(({ impact }) => IMPACT_STATES[impact]);
  return [state, ...said].sort((a, b) => WORST.indexOf(b) - WORST.indexOf(a))[0] ?? state;
}

function overallOf(states: readonly EntryState[], open: readonly StatusPost[]): Overall {
  const impacts = new Set(open.map(({ impact }) => impact));
  const watched = states.filter((state) => state !== "unknown" && state !== "maintenance");
  const down = watched.filter((state) => state === "down").length;
  // Of what is paused or worked on nobody knows that it is down.
  if (down > 0 && down === states.length) return "down";
  if (down === 0 && watched.length === 0 && impacts.has("down")) return "down";
  if (down > 0 || impacts.has("down") || impacts.has("partial")) return "partial";
  if (watched.includes("degraded") || impacts.has("degraded")) return "degraded";
  const isWorkedOn = states.includes("maintenance") ||
    open.some(({ kind }) => kind === "maintenance");
  if (isWorkedOn) return "maintenance";
  return watched.length === 0 ? "unknown" : "up";
}

export const OVERALL_WORDS: Readonly<Record<Overall, Message>> = {
  up: message("All systems work"),
  degraded: message("Some systems are slow"),
  partial: message("Some systems are down"),
  down: message("All systems are down"),
  maintenance: message("Maintenance is under way"),
  unknown: message("Nothing is measured at the moment"),
};

export const STATE_LABELS: Readonly<Record<EntryState, Message>> = {
  up: message("Up"),
  degraded: message("Slow"),
  down: message("Down"),
  maintenance: message("Maintenance"),
  unknown: message("Not measured"),
};
