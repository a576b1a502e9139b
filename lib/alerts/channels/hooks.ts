/** Webhooks of our own: a body of a documented shape, signed. */
import { createHmac } from "node:crypto";
import { z } from "zod";
import { sha256 } from "../../accounts/secrets.ts";
import type { Notice } from "../deliveries/queue.ts";
import { cut, type Message, wordingOf } from "./message.ts";
import { type HttpRequest, jsonRequest } from "./post.ts";
import type { PagerDutySettings, WebhookSettings } from "./settings.ts";

const uuid = z.string().meta({ format: "uuid" });

const WebhookNotice = z.object({
  id: uuid.describe("The same at every attempt, and when somebody sends it again."),
  state: z.enum(["firing", "resolved", "no_data", "test"]),
  severity: z.enum(["critical", "warning", "info"]),
  incidentKey: z.string().describe("The same in all notices about one incident."),
  title: z.string().describe("One line."),
  text: z.string().describe("A sentence or a few."),
  url: z.url().describe("What to look at: the issue, or the explorer at that time."),
  rule: z.object({
    name: z.string(),
    url: z.url().nullable(),
  }),
  project: z.object({ id: z.string(), name: z.string() }),
  facts: z.array(z.object({ label: z.string(), value: z.string() })),
  occurredAt: z.string().meta({ format: "date-time" }),
});

/** `docs/webhook.schema.json` is made of this. There may be more properties one day. */
export const WebhookBody = z.object({
  version: z.literal(1),
  deliveryId: uuid.describe(
    "As in the header X-Watchpost-Delivery; the same at every attempt of this delivery.",
  ),
  notices: z.array(WebhookNotice).min(1).describe(
    "In the order in which things happened. More than one when many had to wait.",
  ),
}).describe("What Watchpost posts to a webhook.");

/**
 * A signed request.
 *
 * @param now when it is sent: part of the signature, so that nobody can send it again later
 */
export function webhookRequest(
  { url, secret }: WebhookSettings,
  message: Message,
  now: Date,
): HttpRequest {
  const body: z.infer<typeof WebhookBody> = {
    version: 1,
    deliveryId: message.messageId,
    notices: message.items.map(({ noticeId, notice }) => ({
      id: noticeId,
      state: notice.state,
      severity: notice.severity,
      incidentKey: notice.incidentKey,
      title: notice.title,
      text: notice.text,
      url: notice.url,
      rule: { name: notice.ruleName, url: notice.ruleUrl },
      project: { id: notice.projectId, name: notice.projectName },
      facts: [...notice.facts],
      occurredAt: notice.occurredAt.toISOString(),
    })),
  };
  const request = jsonRequest(url, body);
  const headers = {
    ...request.headers,
    "x-watchpost-delivery": message.messageId,
    "x-watchpost-signature": signatureOf(secret, request.body, now),
  };
  return { ...request, headers };
}

/** `t=<seconds since 1970>,v1=<HMAC-SHA256 of "t.body" in hex>` */
function signatureOf(secret: string, body: string, now: Date): string {
  const seconds = Math.floor(now.getTime() / 1_000);
  const digest = createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex");
  return `t=${seconds},v1=${digest}`;
}

/** PagerDuty's own limits. */
const MAX_SUMMARY = 1_024;
const MAX_DEDUP_KEY = 255;

/**
 * Events of the Events API v2: each notice triggers or resolves the incident of its key. A test does both, so that
 * nobody is called for long.
 *
 * @param endpoint `https://events.pagerduty.com`, or what stands in for it in tests
 */
export function pagerDutyRequests(
  endpoint: string,
  { routingKey }: PagerDutySettings,
  message: Message,
): readonly HttpRequest[] {
  return message.items.flatMap(({ noticeId, notice }) => {
    const base = { routing_key: routingKey, dedup_key: dedupKey(notice) };
    const resolve = { ...base, event_action: "resolve" };
    const trigger = {
      ...base,
      event_action: "trigger",
      client: "Watchpost",
      client_url: notice.url,
      links: linksOf(notice),
      payload: payloadOf(notice, noticeId),
    };
    const events = {
      firing: [trigger],
      no_data: [trigger],
      resolved: [resolve],
      test: [trigger, resolve],
    };
    return events[notice.state].map((event) => jsonRequest(`${endpoint}/v2/enqueue`, event));
  });
}

function payloadOf(notice: Notice, noticeId: string) {
  const { headline, facts } = wordingOf({ messageId: noticeId, items: [{ noticeId, notice }] });
  return {
    summary: cut(headline, MAX_SUMMARY),
    source: cut(notice.projectName, MAX_SUMMARY),
    severity: notice.severity,
    timestamp: notice.occurredAt.toISOString(),
    class: notice.ruleName,
    custom_details: {
      text: notice.text,
      ...Object.fromEntries(facts.map(({ label, value }) => [label, value])),
    },
  };
}

function linksOf({ url, ruleUrl, ruleName }: Notice) {
  const rule = ruleUrl === null ? [] : [{ href: ruleUrl, text: `Rule ${ruleName}` }];
  return [{ href: url, text: "Open in Watchpost" }, ...rule];
}

/** One integration key may serve several projects. */
function dedupKey({ projectId, incidentKey }: Notice): string {
  const key = `watchpost/${projectId}/${incidentKey}`;
  return key.length <= MAX_DEDUP_KEY ? key : `watchpost/${projectId}/${sha256(incidentKey)}`;
}
