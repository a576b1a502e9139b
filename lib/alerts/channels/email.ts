import { createTransport } from "nodemailer";
import { sha256 } from "../../accounts/secrets.ts";
import { escape } from "../../core/escape.ts";
import type { SmtpConfig } from "../../core/config.ts";
import { z } from "zod";
import { t } from "../../core/language/translate.ts";
import { normalizeEmail } from "../../accounts/names.ts";
import type { ChannelKind, SendTools } from "./kind.ts";
import { type Message, type Wording, wordingOf } from "./message.ts";
import { type Outcome, shownAnswer } from "./post.ts";

interface EmailSettings {
  readonly type: "email";
  readonly addresses: readonly string[];
}

const MAX_ADDRESSES = 20;
const MAX_TARGET_LENGTH = 200;

const MailAddress = z.string().transform((text, context) => {
  const address = normalizeEmail(text);
  if (address !== null) return address;
  const message = t("“{text}” is no email address.", { text: text.slice(0, 60) });
  context.addIssue({ code: "custom", message });
  return z.NEVER;
});

/** Apart by commas, semicolons, blanks or lines. */
const MailAddresses = z.string()
  .transform((text) => text.split(/[\s,;]+/).filter((part) => part !== ""))
  .pipe(
    z.array(z.string()).min(1, { error: () => t("Enter at least one email address.") })
      .max(MAX_ADDRESSES, {
        error: () => t("Enter at most {n} email addresses.", { n: MAX_ADDRESSES }),
      }),
  )
  .pipe(z.array(MailAddress))
  .transform((addresses) => [...new Set(addresses)]);

export const email: ChannelKind<EmailSettings> = {
  label: "Email",
  summary: "Email to one or more addresses.",
  help: "Goes out through the mail server of this instance.",
  icon: "feedback",
  fields: [{
    name: "addresses",
    label: "Email addresses",
    help: "One a line, at most 20. Everybody sees who else has it.",
    placeholder: "oncall@example.com",
    isSecret: false,
    rows: 3,
    schema: MailAddresses,
    body: z.array(z.string()).transform((addresses) => addresses.join("\n")),
  }],
  isSlow: true,
  targetOf: ({ addresses }) => addresses.join(", ").slice(0, MAX_TARGET_LENGTH),
  secretsOf: () => [],
  send: ({ addresses }, message, tools) => mailTo(addresses, message, tools),
};

/** Sends a message to these addresses, all of which see each other. */
export async function mailTo(
  addresses: readonly string[],
  message: Message,
  { config, signal }: SendTools,
): Promise<Outcome> {
  if (config.smtp === null) {
    const text = t("This instance sends no mail: its operator has not set SMTP_HOST.");
    return { kind: "refused", answer: { status: null, text } };
  }
  const secrets = config.smtp.login === null ? [] : [config.smtp.login.password];
  try {
    const { hostname } = new URL(config.baseUrl);
    const taken = await sendMail(
      config.smtp,
      mailOf(addresses, message, hostname),
      signal === undefined ? {} : { signal },
    );
    const refused = taken.rejected.length === 0
      ? ""
      : ` ${t("Not taken: {addresses}.", { addresses: taken.rejected.join(", ") })}`;
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

/**
 * A message as mail.
 *
 * @param host of this service's own address: the right half of message ids
 */
function mailOf(addresses: readonly string[], message: Message, host: string): Mail {
  const wording = wordingOf(message);
  const [{ notice }] = message.items;
  const thread = `<${sha256(`${notice.projectId}/${notice.incidentKey}`).slice(0, 32)}@${host}>`;
  return {
    to: addresses,
    subject: `${wording.headline} · ${wording.projectName}`,
    text: textOf(wording),
    html: htmlOf(wording),
    messageId: `<${message.messageId}@${host}>`,
    // What is about one incident stands together, though no mail has this id.
    references: message.items.length === 1 ? thread : null,
  };
}

function textOf({ headline, url, text, facts, entries, rule, projectName, occurredAt }: Wording) {
  const blocks = [
    headline,
    ...text === "" ? [] : [text],
    ...facts.length === 0 ? [] : [facts.map(({ label, value }) => `${label}: ${value}`).join("\n")],
    ...entries.map((entry) => `${entry.headline}\n${entry.url}`),
    ...url === null ? [] : [url],
    [
      t("Project: {project}", { project: projectName }),
      t("Time: {time}", { time: occurredAt.toISOString() }),
      ...rule === null ? [] : [t("Rule: {rule}", { rule: `${rule.name}, ${rule.url}` })],
    ].join("\n"),
  ];
  return `${blocks.join("\n\n")}\n`;
}

const COLORS = { critical: "#c62828", warning: "#b36b00", info: "#2456b8", ok: "#22702a" } as const;

function htmlOf({ headline, tone, url, text, facts, entries, rule, ...rest }: Wording): string {
  const rows = facts.map(({ label, value }) =>
    `<tr><td style="padding:2px 16px 2px 0;color:#666">${escape(label)}</td><td>${
      escape(value)
    }</td></tr>`
  );
  const items = entries.map((entry) => `<li>${link(entry.headline, entry.url)}</li>`);
  const footer = [
    escape(rest.projectName),
    rest.occurredAt.toISOString(),
    ...rule === null ? [] : [t("Rule: {rule}", { rule: link(rule.name, rule.url) })],
  ];
  return [
    '<!doctype html><html><body style="font-family:sans-serif;font-size:15px;line-height:1.5">',
    `<h1 style="font-size:18px;color:${COLORS[tone]}">${escape(headline)}</h1>`,
    ...text === "" ? [] : [`<p style="white-space:pre-line">${escape(text)}</p>`],
    ...rows.length === 0
      ? []
      : [`<table style="border-collapse:collapse">${rows.join("")}</table>`],
    ...items.length === 0 ? [] : [`<ul>${items.join("")}</ul>`],
    ...url === null ? [] : [`<p>${link(t("Open in Watchpost"), url)}</p>`],
    `<p style="font-size:13px;color:#666">${footer.join(" · ")}</p>`,
    "</body></html>",
  ].join("\n");
}

function link(text: string, url: string): string {
  return `<a href="${escape(url)}">${escape(text)}</a>`;
}

export interface Mail {
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** With angle brackets. */
  readonly messageId: string;
  /** Id of the conversation it belongs to, or null. */
  readonly references: string | null;
  /** Beside those that all mails have. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What the server said to a mail that it took. */
interface MailTaken {
  /** The reply code: 250. */
  readonly code: number | null;
  readonly response: string;
  /** Recipients that it did not take, while it took others. */
  readonly rejected: readonly string[];
}

/** The mail was not taken. */
export class MailFailure extends Error {
  override name = "MailFailure";

  /**
   * @param message a sentence, with what the server said
   * @param code SMTP reply code, or null when there was none
   * @param isPermanent the server will not take this mail later either
   */
  constructor(
    message: string,
    readonly code: number | null,
    readonly isPermanent: boolean,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

interface MailOptions {
  /** From the first connection to the last reply. @default 25_000 */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** PEM of certificates to trust in place of the usual ones. */
  readonly ca?: string;
}

const TIMEOUT_MS = 25_000;

/**
 * Sends a mail through the server that the settings name.
 *
 * @throws {MailFailure} when it was not taken, or nobody knows whether it was
 */
export async function sendMail(
  config: SmtpConfig,
  mail: Mail,
  { timeoutMs = TIMEOUT_MS, signal, ca }: MailOptions = {},
): Promise<MailTaken> {
  const transport = transportTo(config, { timeoutMs, ...ca === undefined ? {} : { ca } });
  const late = AbortSignal.timeout(timeoutMs);
  const ending = signal === undefined ? late : AbortSignal.any([late, signal]);
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const stop = () =>
    reject(
      new MailFailure(
        t("The mail server took longer than {n} s.", { n: timeoutMs / 1_000 }),
        null,
        false,
      ),
    );
  ending.addEventListener("abort", stop);
  try {
    if (ending.aborted) stop();
    return await Promise.race([send(transport, config, mail), ended]);
  } finally {
    ending.removeEventListener("abort", stop);
    transport.close();
  }
}

type Transport = ReturnType<typeof createTransport>;

function transportTo(
  config: SmtpConfig,
  { timeoutMs, ca }: { readonly timeoutMs: number; readonly ca?: string },
): Transport {
  return createTransport({
    host: config.host,
    port: config.port,
    secure: config.security === "tls",
    requireTLS: config.security === "starttls",
    ignoreTLS: config.security === "none",
    ...config.login === null
      ? {}
      : { auth: { user: config.login.user, pass: config.login.password } },
    ...ca === undefined ? {} : { tls: { ca } },
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/**
 * Greets the server that the settings name and signs in there, and sends nothing.
 *
 * @throws {MailFailure} when it does not take that
 */
export async function greetMailServer(
  config: SmtpConfig,
  { timeoutMs = TIMEOUT_MS, ca }: Omit<MailOptions, "signal"> = {},
): Promise<void> {
  const transport = transportTo(config, { timeoutMs, ...ca === undefined ? {} : { ca } });
  try {
    await transport.verify();
  } catch (error) {
    throw failureOf(error);
  } finally {
    transport.close();
  }
}

async function send(transport: Transport, config: SmtpConfig, mail: Mail): Promise<MailTaken> {
  try {
    const info = await transport.sendMail({
      from: config.from,
      to: [...mail.to],
      subject: mail.subject,
      text: mail.text,
      html: mail.html,
      messageId: mail.messageId,
      ...mail.references === null
        ? {}
        : { references: mail.references, inReplyTo: mail.references },
      // Nobody's holiday shall answer.
      headers: {
        "auto-submitted": "auto-generated",
        "x-auto-response-suppress": "All",
        ...mail.headers,
      },
    });
    const response = String(info.response ?? "");
    return {
      code: Number(/^\d{3}/.exec(response)?.[0] ?? NaN) || null,
      response,
      rejected: (info.rejected ?? []).map(String),
    };
  } catch (error) {
    throw failureOf(error);
  }
}

/** Codes of nodemailer for what the operator can put right, so that it is worth trying again. */
const SETTING_PROBLEMS: ReadonlySet<string> = new Set(["EAUTH", "ETLS", "EDNS", "ECONNECTION"]);

/** As nodemailer throws it. */
interface SmtpError extends Error {
  readonly code?: string;
  readonly responseCode?: number;
  readonly response?: string;
}

function failureOf(error: unknown): MailFailure {
  const known: SmtpError = error instanceof Error ? error : new Error(String(error));
  const { message, code = "", responseCode = null, response = message } = known;
  const isPermanent = responseCode !== null && responseCode >= 500 && !SETTING_PROBLEMS.has(code);
  const said = t("The mail server did not take it: {response}", { response });
  return new MailFailure(said, responseCode, isPermanent, { cause: error });
}
