import { sha256 } from "../../accounts/secrets.ts";
import type { Notice } from "../deliveries/notice.ts";
import { type HttpRequest, jsonRequest } from "./http_outcome.ts";
import { cut, type Message, wordingOf } from "./message.ts";
import type { PagerDutySettings } from "./settings.ts";

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
