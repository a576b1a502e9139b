/** Mail to the owners of the issue that an alert is about. */
import { z } from "zod";
import { type Fallthrough, FALLTHROUGHS, isUndecided, whoHears } from "../../errors/mod.ts";
import { MINUTE_MS } from "../../core/time.ts";
import { mailTo } from "./email.ts";
import type { ChannelKind, SendTools } from "./kind.ts";
import type { Message } from "./message.ts";
import type { Outcome } from "./post.ts";
import { type Message as Text, message, t } from "../../core/language/translate.ts";

interface OwnersSettings {
  readonly type: "owners";
  readonly fallthrough: Fallthrough;
}

const LABELS: Readonly<Record<Fallthrough, Text>> = {
  AllMembers: message("All members"),
  ActiveMembers: message("Members who looked at an issue of the project within 30 days"),
  NoOne: message("Nobody"),
};

export const owners: ChannelKind<OwnersSettings> = {
  label: message("Issue owners"),
  summary: message(
    "Mail to whom ownership rules and suspect commits name, and to whom the issue is assigned.",
  ),
  help: message(
    "For alerts about new issues and those that come back. Ownership rules are in the project's settings.",
  ),
  icon: "alerts",
  fields: [{
    name: "fallthrough",
    label: message("When nobody owns the issue"),
    help: message("Also for alerts that are about no issue."),
    placeholder: "ActiveMembers",
    isSecret: false,
    body: z.enum(FALLTHROUGHS).describe(
      "Of issue owners: who hears when nobody owns the issue",
    ),
    options: FALLTHROUGHS.map((value) => ({ value, label: LABELS[value] })),
    schema: z.string().pipe(
      z.enum(FALLTHROUGHS, { error: () => t("Choose AllMembers, ActiveMembers or NoOne.") }),
    ),
  }],
  isSlow: true,
  // Each issue has owners of its own.
  isSingle: true,
  perMinute: 60,
  targetOf: ({ fallthrough }) => t("Owners, else: {people}", { people: t(LABELS[fallthrough]) }),
  secretsOf: () => [],
  send,
};

/** So long an alert waits for the owners of an issue that has just come. */
const PATIENCE_MS = MINUTE_MS;
/** As many as a mail server takes in one mail. */
const MAX_ADDRESSES = 50;

async function send(
  { fallthrough }: OwnersSettings,
  message: Message,
  tools: SendTools,
): Promise<Outcome> {
  const [{ notice }] = message.items;
  const nobody = (text: string): Outcome => ({ kind: "sent", answer: { status: null, text } });
  if (tools.stores === undefined || notice.ruleUrl === null) {
    return nobody(t("A test is about no issue, so no mail is sent."));
  }
  const { projectId, issueId = null } = notice;
  const { sql } = tools.stores;
  const isFresh =
    (tools.now?.() ?? new Date()).getTime() - notice.occurredAt.getTime() < PATIENCE_MS;
  if (isFresh && issueId !== null && await isUndecided(sql, projectId, issueId)) {
    const text = t("The rules have not been asked yet who owns the issue.");
    return { kind: "failed", answer: { status: null, text }, retryAfterMs: null };
  }
  const addresses = await whoHears(tools.stores, projectId, issueId, fallthrough);
  if (addresses.length === 0) return nobody(t("Nobody owns it, so no mail is sent."));
  return await mailTo(addresses.slice(0, MAX_ADDRESSES), message, tools);
}
