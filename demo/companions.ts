import type { Envelope, Item } from "./envelope.ts";
import type { Random } from "./random.ts";

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
