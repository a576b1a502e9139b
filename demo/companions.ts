/** What SDKs send beside events: logs, files, feedback, sessions, check-ins, and what they threw away. */
import { DAY_MS, HOUR_MS } from "../lib/core/time.ts";
import { newId, type Random } from "./chance.ts";
import type { Envelope, Item } from "./send.ts";
import { type Fields, logItems } from "./sentry.ts";
import { SERVICES } from "./shop.ts";

const FEEDBACK =
  "<I clicked on Pay and nothing happened. Tried three times.|The page went white after I chose the blue one.|My cart was empty when I came back!|It says that something went wrong, but my card was charged.|Works on my phone, not on this computer.>";
const STEPS = [
  ["debug", "cache miss for cart <1..900>"],
  ["info", "cart <1..900> was loaded in <12..2400> ms"],
  ["info", "price of <1..900> items was computed"],
  ["warn", "payment provider answered after <12..2400> ms"],
  ["error", "request was given up after <12..2400> ms"],
] as const;

/** An error's own envelope, with what its SDK sends along: now and then a file, or what the person wrote. */
export function withCompanions(event: Fields, random: Random): Envelope {
  const items: Item[] = [{ header: { type: "event" }, payload: event }];
  if (random.chance(0.03)) items.push(logFile(event, random));
  if (event.platform === "javascript" && random.chance(0.02)) items.push(feedback(event, random));
  return { header: { event_id: event.event_id, sdk: event.sdk }, items };
}

/** The log of the request that an error ended. */
export function logsOf(event: Fields, random: Random): Envelope {
  const contexts = event.contexts as { trace: { trace_id: string } };
  const attributes = {
    "sentry.release": String(event.release),
    "sentry.environment": String(event.environment),
    "sentry.sdk.name": "sentry.javascript.node",
    "logger.name": "shop.checkout",
    "server.address": String(event.server_name ?? "web-1"),
  };
  const logs = random.filled(STEPS).map(([level, body], index) => ({
    timestamp: Number(event.timestamp) - (STEPS.length - index) * 0.08,
    trace_id: contexts.trace.trace_id,
    level,
    body,
    attributes,
  }));
  return { header: {}, items: logItems(logs) };
}

function logFile(event: Fields, random: Random): Item {
  const lines = Array.from({ length: 40 }, (_, index) => {
    const at = new Date((Number(event.timestamp) - 40 + index) * 1000);
    return `${at.toISOString()} worker-<1..4> order <1000..9999> in <3..90> ms`;
  });
  const header = { type: "attachment", filename: "worker.log", content_type: "text/plain" };
  return { header, payload: random.filled(lines).join("\n") };
}

function feedback(event: Fields, random: Random): Item {
  const { email } = event.user as { email: string };
  const payload = {
    event_id: newId(),
    timestamp: Number(event.timestamp) + 20,
    platform: "javascript",
    release: event.release,
    environment: event.environment,
    contexts: {
      feedback: {
        message: random.filled(FEEDBACK),
        contact_email: email,
        name: email.split("@")[0],
        associated_event_id: event.event_id,
        url: "https://shop.example.com/checkout",
      },
    },
  };
  return { header: { type: "feedback" }, payload };
}

const DAYS = 14;
/** Sessions that are older are refused, as Sentry does. */
const SESSION_DAYS = 4.9;
/** Sessions an hour and release of people who are known. */
const PEOPLE = 12;
/** Of a thousand sessions of a release of the pages. */
const CRASHES: Readonly<Record<string, number>> = {
  "web@3.0.4": 4,
  "web@3.1.0": 21,
  "web@3.1.1": 2,
};

/** Sessions, check-ins and what clients report of themselves, hour by hour up to `now`. */
export function health(random: Random, now: Date): Envelope[] {
  return Array.from({ length: DAYS * 24 }, (_, hour) => {
    const at = new Date(now.getTime() - hour * HOUR_MS);
    const sessions = hour / 24 < SESSION_DAYS ? sessionsOf(random, now, at) : [];
    return [
      ...sessions,
      item("check_in", checkIn(random, at)),
      item("client_report", report(random, at)),
    ];
  }).flat();
}

function item(type: string, payload: unknown): Envelope {
  return { header: {}, items: [{ header: { type }, payload }] };
}

/** Of each release that people still have open: for half a day after the next one came out. */
function sessionsOf(random: Random, now: Date, at: Date): Envelope[] {
  const daysAgo = (now.getTime() - at.getTime()) / DAY_MS;
  const { releases } = SERVICES.web;
  return releases.filter(([, since], index) =>
    daysAgo <= since && daysAgo >= (releases[index - 1]?.[1] ?? 0.5) - 0.5
  ).map(([release]) => {
    const total = random.integer(80, 400);
    const crashes = CRASHES[release] ?? 0;
    const crashed = Math.round(total * crashes * (0.5 + random.next()) / 1_000);
    const errored = random.integer(0, 9);
    const started = at.toISOString();
    const people = Array.from({ length: PEOPLE }, () => ({
      started,
      did: String(random.integer(1, 400)),
      ...(random.chance(crashes / 1_000) ? { crashed: 1 } : { exited: 1 }),
    }));
    return item("sessions", {
      aggregates: [{ started, exited: total - crashed - errored, errored, crashed }, ...people],
      attrs: { release, environment: "production" },
    });
  });
}

function checkIn(random: Random, at: Date): Fields {
  return {
    check_in_id: newId(),
    monitor_slug: "stock-sync",
    status: random.chance(0.03) ? "error" : "ok",
    duration: random.integer(4, 40),
    environment: "production",
    timestamp: at.getTime() / 1_000,
    monitor_config: { schedule: { type: "crontab", value: "0 * * * *" }, timezone: "UTC" },
  };
}

function report(random: Random, at: Date): Fields {
  return {
    timestamp: at.getTime() / 1_000,
    discarded_events: [
      { reason: "sample_rate", category: "transaction", quantity: random.integer(20, 300) },
      { reason: "network_error", category: "error", quantity: random.integer(1, 4) },
    ],
  };
}
