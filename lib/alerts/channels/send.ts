/** Sends a message through a channel: the one place that knows all the ways. */
import { type Config, VERSION } from "../../core/config.ts";
import type { Resolver } from "../../core/safe_fetch.ts";
import { MailFailure, mailOf, sendMail } from "./email.ts";
import { type HttpRequest, type Outcome, post, shownAnswer } from "./post.ts";
import type { Message } from "./message.ts";
import { type ChannelSettings, type EmailSettings, secretsOf } from "./settings.ts";
import { discordRequest, slackRequest, teamsRequest, telegramRequest } from "./chat.ts";
import { pagerDutyRequests, webhookRequest } from "./hooks.ts";

/** What sending needs beside the message. */
export interface SendTools {
  readonly config: Pick<Config, "smtp" | "baseUrl" | "allowPrivateWebhooks">;
  /** Ends what is under way; the outcome is `stopped`. */
  readonly signal?: AbortSignal;
  readonly resolver?: Resolver;
  /** Addresses of services that are the same for all. */
  readonly endpoints?: Endpoints;
  readonly now?: () => Date;
}

export interface Endpoints {
  readonly telegram: string;
  readonly pagerDuty: string;
}

const ENDPOINTS: Endpoints = {
  telegram: "https://api.telegram.org",
  pagerDuty: "https://events.pagerduty.com",
};

/** Makes one attempt to send; never throws for what a receiver does. */
export async function sendMessage(
  settings: ChannelSettings,
  message: Message,
  tools: SendTools,
): Promise<Outcome> {
  if (settings.type === "email") return await mail(settings, message, tools);
  let outcome: Outcome = { kind: "stopped" };
  for (const request of requestsOf(settings, message, tools)) {
    outcome = await send(request, settings, tools);
    if (outcome.kind !== "sent") break;
  }
  return outcome;
}

function requestsOf(
  settings: Exclude<ChannelSettings, EmailSettings>,
  message: Message,
  { endpoints = ENDPOINTS, now = () => new Date() }: SendTools,
): readonly HttpRequest[] {
  switch (settings.type) {
    case "telegram":
      return [telegramRequest(endpoints.telegram, settings, message)];
    case "pagerduty":
      return pagerDutyRequests(endpoints.pagerDuty, settings, message);
    case "webhook":
      return [webhookRequest(settings, message, now())];
    case "slack":
      return [slackRequest(settings, message)];
    case "teams":
      return [teamsRequest(settings, message)];
    case "discord":
      return [discordRequest(settings, message)];
  }
}

function send(
  request: HttpRequest,
  settings: ChannelSettings,
  { config, signal, resolver }: SendTools,
): Promise<Outcome> {
  const headers = { "user-agent": `Watchpost/${VERSION}`, ...request.headers };
  return post({ ...request, headers }, {
    allowsPrivate: config.allowPrivateWebhooks,
    ...signal === undefined ? {} : { signal },
    ...resolver === undefined ? {} : { resolver },
  }, secretsOf(settings));
}

async function mail(
  settings: EmailSettings,
  message: Message,
  { config, signal }: SendTools,
): Promise<Outcome> {
  if (config.smtp === null) {
    const text = "This instance sends no mail: its operator has not set SMTP_HOST.";
    return { kind: "refused", answer: { status: null, text } };
  }
  const secrets = config.smtp.login === null ? [] : [config.smtp.login.password];
  try {
    const { hostname } = new URL(config.baseUrl);
    const taken = await sendMail(
      config.smtp,
      mailOf(settings, message, hostname),
      signal === undefined ? {} : { signal },
    );
    const refused = taken.rejected.length === 0 ? "" : ` Not taken: ${taken.rejected.join(", ")}.`;
    const text = shownAnswer(taken.response + refused, secrets);
    return { kind: "sent", answer: { status: taken.code, text } };
  } catch (error) {
    if (!(error instanceof MailFailure)) throw error;
    if (signal?.aborted) return { kind: "stopped" };
    const answer = { status: error.code, text: shownAnswer(error.message, secrets) };
    return error.isPermanent
      ? { kind: "refused", answer }
      : { kind: "failed", answer, retryAfterMs: null };
  }
}
