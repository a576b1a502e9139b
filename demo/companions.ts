import type { Envelope, Item } from "./send.ts";
import type { Random } from "./story.ts";

const WORDS = [
  "I clicked on Pay and nothing happened. Tried three times.",
  "The page went white after I chose the blue one.",
  "My cart was empty when I came back!",
  "It says that something went wrong, but my card was charged.",
  "Works on my phone, not on this computer.",
];
const STEPS: readonly (readonly [level: string, body: string])[] = [
  ["debug", "cache miss for cart {n}"],
  ["info", "cart {n} was loaded in {ms} ms"],
  ["info", "price of {n} items was computed"],
  ["warn", "payment provider answered after {ms} ms"],
  ["error", "request was given up after {ms} ms"],
];

/** An error's own envelope, with what its SDK sends along: now and then a file, or what the person wrote. */
export function withCompanions(event: Record<string, unknown>, random: Random): Envelope {
  const items: Item[] = [{ header: { type: "event" }, payload: event }];
  if (random.next() < 0.03) items.push(logFile(event, random));
  if (event.platform === "javascript" && random.next() < 0.02) items.push(feedback(event, random));
  return { header: { event_id: event.event_id, sdk: event.sdk }, items };
}

/** The log of the request that an error ended. */
export function logsOf(event: Record<string, unknown>, random: Random): Envelope {
  const contexts = event.contexts as { trace?: { trace_id: string } };
  const end = Number(event.timestamp);
  const items = STEPS.map(([level, body], index) => ({
    timestamp: end - (STEPS.length - index) * 0.08,
    trace_id: contexts.trace?.trace_id ?? random.hex(32),
    level,
    body: body.replace("{n}", String(random.integer(1, 900)))
      .replace("{ms}", String(random.integer(12, 2_400))),
    attributes: {
      "sentry.release": text(event.release),
      "sentry.environment": text(event.environment),
      "sentry.sdk.name": text("sentry.javascript.node"),
      "logger.name": text("shop.checkout"),
      "server.address": text(event.server_name ?? "web-1"),
    },
  }));
  const header = {
    type: "log",
    item_count: items.length,
    content_type: "application/vnd.sentry.items.log+json",
  };
  return { header: {}, items: [{ header, payload: { items } }] };
}

function text(value: unknown) {
  return { value: String(value), type: "string" };
}

function logFile(event: Record<string, unknown>, random: Random): Item {
  const lines = Array.from(
    { length: 40 },
    (_, index) =>
      `${new Date((Number(event.timestamp) - 40 + index) * 1000).toISOString()} worker-${
        random.integer(1, 4)
      } order ${random.integer(1_000, 9_999)} in ${random.integer(3, 90)} ms`,
  );
  const header = { type: "attachment", filename: "worker.log", content_type: "text/plain" };
  return { header, payload: lines.join("\n") };
}

function feedback(event: Record<string, unknown>, random: Random): Item {
  const user = event.user as { email?: string };
  const email = user.email ?? "ann@example.com";
  return {
    header: { type: "feedback" },
    payload: {
      event_id: random.hex(32),
      timestamp: Number(event.timestamp) + 20,
      platform: "javascript",
      release: event.release,
      environment: event.environment,
      contexts: {
        feedback: {
          message: random.pick(WORDS),
          contact_email: email,
          name: email.split("@")[0],
          associated_event_id: event.event_id,
          url: "https://shop.example.com/checkout",
        },
      },
    },
  };
}

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
