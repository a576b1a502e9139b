/** What machines are told: webhooks of our own, with a signed body of a documented shape, and PagerDuty's events. */
import { z } from "zod";
import { t } from "../../core/language/translate.ts";
import { sha256 } from "../../accounts/secrets.ts";
import { signatureOf } from "../../core/signature.ts";
import {
  ENDPOINTS,
  hookField,
  type HookSettings,
  httpKind,
  maskedUrl,
  secretParts,
} from "./kind.ts";
import { cut, type Message, type Notice, wordingOf } from "./message.ts";
import { type HttpRequest, jsonRequest } from "./post.ts";

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

interface WebhookSettings extends HookSettings<"webhook"> {
  /** Signs the body. */
  readonly secret: string;
}

export const webhook = httpKind<WebhookSettings>({
  label: "Webhook",
  summary: "A signed JSON request to a program of yours.",
  help:
    "Each notification is posted as JSON with a signature. The docs have the shape of the body and how to check the signature.",
  icon: "endpoints",
  fields: [
    hookField(
      "https://ops.example.com/watchpost",
      "It has ten seconds to answer with 2xx. After 408, 429 and 5xx it is tried again for hours.",
    ),
  ],
  isSigned: true,
  targetOf: ({ url }) => maskedUrl(url),
  secretsOf: ({ url, secret }) => [secret, ...secretParts(url)],
  requestsOf: (settings, message, { now = () => new Date() }) => [
    webhookRequest(settings, message, now()),
  ],
});

/**
 * A signed request.
 *
 * @param now when it is sent: part of the signature, so that nobody can send it again later
 */
function webhookRequest(
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

interface PagerDutySettings {
  readonly type: "pagerduty";
  readonly routingKey: string;
}

export const pagerduty = httpKind<PagerDutySettings>({
  label: "PagerDuty",
  summary: "Incidents of a PagerDuty service, opened and resolved.",
  help:
    "In PagerDuty: Services → the service → Integrations → Add an integration → Events API V2, then copy its integration key.",
  icon: "alerts",
  fields: [{
    name: "routingKey",
    label: "Integration key",
    help: "32 letters and digits.",
    placeholder: "R0…",
    isSecret: true,
    schema: z.string().regex(
      /^[\w-]{20,64}$/,
      { error: () => t("Enter the integration key: 32 letters and digits.") },
    ),
  }],
  isSingle: true,
  // A test is two requests.
  isSlow: true,
  perMinute: 60,
  targetOf: ({ routingKey }) => t("key …{end}", { end: routingKey.slice(-4) }),
  secretsOf: ({ routingKey }) => [routingKey],
  requestsOf: ({ routingKey }, message, { endpoints = ENDPOINTS }) =>
    pagerDutyEvents(routingKey, message)
      .map((event) => jsonRequest(`${endpoints.pagerDuty}/v2/enqueue`, event)),
});

/** PagerDuty's own limits. */
const MAX_SUMMARY = 1_024;
const MAX_DEDUP_KEY = 255;

/**
 * Events of the Events API v2: each notice triggers or resolves the incident of its key. A test does both, so that
 * nobody is called for long.
 */
function pagerDutyEvents(routingKey: string, message: Message): readonly object[] {
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
    return events[notice.state];
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
  const rule = ruleUrl === null
    ? []
    : [{ href: ruleUrl, text: t("Rule: {rule}", { rule: ruleName }) }];
  return [{ href: url, text: t("Open in Watchpost") }, ...rule];
}

/** One integration key may serve several projects. */
function dedupKey({ projectId, incidentKey }: Notice): string {
  const key = `watchpost/${projectId}/${incidentKey}`;
  return key.length <= MAX_DEDUP_KEY ? key : `watchpost/${projectId}/${sha256(incidentKey)}`;
}
