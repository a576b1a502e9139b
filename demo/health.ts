import type { Envelope } from "./envelope.ts";
import type { Random } from "./random.ts";

const HOUR_MS = 3_600_000;
const DAYS = 14;
/** Older ones are refused, as Sentry does. */
const SESSION_DAYS = 4.9;
/** Sessions an hour and release of people who are known. */
const PEOPLE = 12;
/** When each came out, in days ago, and how many of a thousand sessions it crashes. */
const RELEASES = [
  { release: "web@3.0.4", since: 14, until: 9, crashes: 4 },
  { release: "web@3.1.0", since: 10, until: 3, crashes: 21 },
  { release: "web@3.1.1", since: 4, until: 0, crashes: 2 },
] as const;

/** Sessions, check-ins and what clients report of themselves, hour by hour up to `now`. */
export function health(random: Random, now: Date): Envelope[] {
  return Array.from({ length: DAYS * 24 }, (_, hour) => {
    const at = new Date(now.getTime() - hour * HOUR_MS);
    const sessions = hour / 24 < SESSION_DAYS ? sessionsOf(random, at, hour / 24) : [];
    return [...sessions, checkIn(random, at), clientReport(random, at)];
  }).flat();
}

function sessionsOf(random: Random, at: Date, daysAgo: number): Envelope[] {
  return RELEASES.filter(({ since, until }) => daysAgo <= since && daysAgo >= until).map(
    ({ release, crashes }) => {
      const total = random.integer(80, 400);
      const crashed = Math.round(total * crashes * (0.5 + random.next()) / 1_000);
      const errored = random.integer(0, 9);
      return {
        header: {},
        items: [{
          header: { type: "sessions" },
          payload: {
            aggregates: [
              { started: at.toISOString(), exited: total - crashed - errored, errored, crashed },
              ...Array.from({ length: PEOPLE }, () => ({
                started: at.toISOString(),
                did: String(random.integer(1, 400)),
                ...(random.integer(1, 1_000) <= crashes ? { crashed: 1 } : { exited: 1 }),
              })),
            ],
            attrs: { release, environment: "production" },
          },
        }],
      };
    },
  );
}

function checkIn(random: Random, at: Date): Envelope {
  const payload = {
    check_in_id: crypto.randomUUID().replaceAll("-", ""),
    monitor_slug: "stock-sync",
    status: random.next() < 0.03 ? "error" : "ok",
    duration: random.integer(4, 40),
    environment: "production",
    timestamp: at.getTime() / 1_000,
    monitor_config: { schedule: { type: "crontab", value: "0 * * * *" }, timezone: "UTC" },
  };
  return { header: {}, items: [{ header: { type: "check_in" }, payload }] };
}

function clientReport(random: Random, at: Date): Envelope {
  const discarded = [
    { reason: "sample_rate", category: "transaction", quantity: random.integer(20, 300) },
    { reason: "network_error", category: "error", quantity: random.integer(1, 4) },
  ];
  const payload = { timestamp: at.getTime() / 1_000, discarded_events: discarded };
  return { header: {}, items: [{ header: { type: "client_report" }, payload }] };
}
