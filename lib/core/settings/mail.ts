/** Settings of the server that takes mail. */
import { ConfigError, type Environment, integer, oneOf, text, wrong } from "./read.ts";

export interface SmtpConfig {
  readonly host: string;
  readonly port: number;
  /** `starttls`: encrypted from the greeting on, or not at all; `tls`: from the first byte; `none`: in the clear. */
  readonly security: "starttls" | "tls" | "none";
  readonly login: { readonly user: string; readonly password: string } | null;
  /** Sender, as `Watchpost <alerts@example.com>`. */
  readonly from: string;
}

/** The server that takes mail; null: there is none. @throws {ConfigError} */
export function smtp(env: Environment): SmtpConfig | null {
  const host = text(env, "SMTP_HOST");
  if (host === null) return null;
  const from = text(env, "SMTP_FROM");
  if (from === null) {
    throw new ConfigError("Cannot start: SMTP_FROM is not set, but mail by SMTP_HOST needs it");
  }
  if (!/^(?:[^<>\p{Cc}]*<[^\s@<>]+@[^\s@<>]+>|[^\s@<>]+@[^\s@<>]+)$/u.test(from)) {
    throw wrong("SMTP_FROM", from, "a mail address, or a name and <address>");
  }
  const port = integer(env, "SMTP_PORT", { default: 587, min: 1, max: 65_535 });
  return {
    host,
    port,
    security: text(env, "SMTP_SECURITY") === null && port === 465
      ? "tls"
      : oneOf(env, "SMTP_SECURITY", ["starttls", "tls", "none"]),
    login: smtpLogin(env),
    from,
  };
}

function smtpLogin(env: Environment): SmtpConfig["login"] {
  const user = text(env, "SMTP_USERNAME");
  const password = env["SMTP_PASSWORD"] || null;
  if (user === null && password === null) return null;
  if (user === null || password === null) {
    const missing = user === null ? "SMTP_USERNAME" : "SMTP_PASSWORD";
    throw new ConfigError(
      `Cannot start: ${missing} is not set, but SMTP_USERNAME and SMTP_PASSWORD go together`,
    );
  }
  return { user, password };
}
