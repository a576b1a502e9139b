import { createTransport } from "nodemailer";
import type { SmtpConfig } from "../../core/config.ts";

export interface Mail {
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** With angle brackets. */
  readonly messageId: string;
  /** Id of the conversation it belongs to, or null. */
  readonly references: string | null;
}

/** What the server said to a mail that it took. */
export interface MailTaken {
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

export interface MailOptions {
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
  const transport = createTransport({
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
  const late = AbortSignal.timeout(timeoutMs);
  const ending = signal === undefined ? late : AbortSignal.any([late, signal]);
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const stop = () =>
    reject(
      new MailFailure(`The mail server took longer than ${timeoutMs / 1_000} s.`, null, false),
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
      headers: { "auto-submitted": "auto-generated", "x-auto-response-suppress": "All" },
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

function failureOf(error: unknown): MailFailure {
  const { message, code, responseCode, response } = error instanceof Error
    ? error as Error & { code?: string; responseCode?: number; response?: string }
    : new Error(String(error)) as Error & {
      code?: string;
      responseCode?: number;
      response?: string;
    };
  const said = response ?? message;
  const isPermanent = responseCode !== undefined && responseCode >= 500 &&
    !SETTING_PROBLEMS.has(code ?? "");
  return new MailFailure(
    `The mail server did not take it: ${said}`,
    responseCode ?? null,
    isPermanent,
    {
      cause: error,
    },
  );
}
