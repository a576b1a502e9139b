/** Whether the mail server of the settings greets us and lets us in; and, where somebody wants it, one mail. */
import { randomUUID } from "node:crypto";
import { greetMailServer, sendMail } from "../../alerts/channels/email.ts";
import type { Config, SmtpConfig } from "../../core/config.ts";
import { type Finding, ok, problem, reasonOf, warning } from "./finding.ts";

const LIMIT_MS = 10_000;
const CHECK = "mail";
const REMEDY =
  "Look at SMTP_HOST, SMTP_PORT, SMTP_SECURITY and the login, and whether a firewall is between.";

/**
 * @param sendTo an address that gets one mail, or null
 * @param ca PEM of certificates to trust in place of the usual ones
 */
export async function checkMail(
  { smtp, baseUrl }: Pick<Config, "smtp" | "baseUrl">,
  sendTo: string | null,
  ca?: string,
): Promise<Finding[]> {
  if (smtp === null) {
    const meaning =
      "No mail server is set: no notices, invitations and links for new passwords are sent.";
    const remedy = "Set SMTP_HOST and SMTP_FROM.";
    return [sendTo === null ? warning(CHECK, meaning, remedy) : problem(CHECK, meaning, remedy)];
  }
  const options = { timeoutMs: LIMIT_MS, ...ca === undefined ? {} : { ca } };
  const server = `${smtp.host}:${smtp.port}`;
  try {
    await greetMailServer(smtp, options);
  } catch (error) {
    const meaning = `The mail server at ${server} cannot be used: ${sentence(error)}`;
    return [problem(CHECK, meaning, REMEDY)];
  }
  const way = smtp.security === "none" ? "in the clear" : "encrypted";
  const greeted = ok(
    CHECK,
    `${server} greets us, ${way}, ${
      smtp.login === null ? "without a login" : "and takes the login"
    }.`,
  );
  return sendTo === null ? [greeted] : [greeted, await sendOne(smtp, { sendTo, baseUrl }, options)];
}

async function sendOne(
  smtp: SmtpConfig,
  { sendTo, baseUrl }: { readonly sendTo: string; readonly baseUrl: string },
  options: { readonly timeoutMs: number; readonly ca?: string },
): Promise<Finding> {
  const text =
    `The doctor of Watchpost at ${baseUrl} has sent this mail to see whether it arrives.`;
  try {
    await sendMail(smtp, {
      to: [sendTo],
      subject: "Watchpost can send mail",
      text: `${text}\n`,
      html: `<p>${text}</p>`,
      messageId: `<${randomUUID()}@${new URL(baseUrl).hostname}>`,
      references: null,
    }, options);
    return ok(CHECK, `The mail server has taken a mail to ${sendTo}: look whether it arrives.`);
  } catch (error) {
    return problem(
      CHECK,
      `The mail server took no mail to ${sendTo}: ${sentence(error)}`,
      `Look whether it may send as ${smtp.from} (SMTP_FROM) and to this address.`,
    );
  }
}

function sentence(error: unknown): string {
  return `${reasonOf(error).replace(/\.$/, "")}.`;
}
