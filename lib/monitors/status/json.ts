/** The status page for programs. */
import { DAY_MS } from "../../core/time.ts";
import { percentOf } from "../uptime/sums.ts";
import { dayOf } from "./days.ts";
import { OVERALL_WORDS, type ShownEntry, type ShownPost, type StatusView } from "./view.ts";

/** What `/status/<slug>/json` answers; documented in docs/monitors.md. */
export function jsonOf(view: StatusView) {
  const { page, url, overall, asOf, isStale, groups, open, upcoming, past } = view;
  return {
    page: { title: page.title, url },
    status: { indicator: overall, description: OVERALL_WORDS[overall] },
    asOf: asOf?.toISOString() ?? null,
    isStale,
    groups: groups.map(({ name, entries }) => ({
      name,
      monitors: entries.map((entry) => entryJson(entry, view.firstDay)),
    })),
    open: open.map(postJson),
    upcoming: upcoming.map(postJson),
    past: past.map(postJson),
  };
}

function entryJson({ name, state, measured }: ShownEntry, from: Date) {
  return {
    name,
    status: state,
    uptime: measured && Object.fromEntries(
      Object.entries(measured.uptime).map(([period, share]) => [
        period,
        share === null ? null : `${percentOf(share)} %`,
      ]),
    ),
    days: measured && measured.days.map((seconds, place) => ({
      date: new Date(from.getTime() + place * DAY_MS).toISOString().slice(0, 10),
      status: dayOf(seconds).kind,
      downSec: seconds?.[2] ?? null,
    })),
  };
}

function postJson(post: ShownPost) {
  const { postId, kind, title, impact, state, phase, names, startsAt, endsAt, closedAt } = post;
  return {
    id: postId,
    kind,
    title,
    impact,
    status: state,
    phase,
    monitors: names,
    startsAt: startsAt.toISOString(),
    endsAt: endsAt?.toISOString() ?? null,
    closedAt: closedAt?.toISOString() ?? null,
    updates: post.updates.map(({ updateId, at, state, text }) => ({
      id: updateId,
      at: at.toISOString(),
      status: state,
      text,
    })),
  };
}
