/** A mail server that keeps what it takes. */
import { once } from "node:events";
import { SMTPServer } from "smtp-server";
import type { SmtpConfig } from "../../lib/core/config.ts";

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** As it came: head and body. */
  readonly text: string;
  readonly isSecure: boolean;
}

export interface MailServer extends AsyncDisposable {
  readonly port: number;
  readonly mails: readonly ReceivedMail[];
  /** PEM of the certificate that vouches for it. */
  readonly ca: string;
}

export interface MailServerOptions {
  /** Wanted of whoever sends; none by default. */
  readonly login?: { readonly user: string; readonly password: string };
  readonly isImplicitTls?: boolean;
  readonly hasNoTls?: boolean;
  /** Takes no mail, and says this. */
  readonly refuseWith?: { readonly code: number; readonly text: string };
  readonly refusedRecipient?: string;
}

const TLS = new URL("../fixtures/tls/", import.meta.url);
const cert = await Deno.readTextFile(new URL("certificate.pem", TLS));
const key = await Deno.readTextFile(new URL("key.pem", TLS));

/** Starts a mail server on a free port of this machine; its certificate is for `localhost`. */
export async function mailServer(options: MailServerOptions = {}): Promise<MailServer> {
  const { login, isImplicitTls = false, hasNoTls, refuseWith, refusedRecipient } = options;
  const mails: ReceivedMail[] = [];
  const server = new SMTPServer({
    cert,
    key,
    secure: isImplicitTls,
    authOptional: login === undefined,
    allowInsecureAuth: true,
    disabledCommands: hasNoTls ? ["STARTTLS"] : [],
    onAuth({ username, password }, _session, answer) {
      const isRight = username === login?.user && password === login?.password;
      if (isRight) answer(null, { user: username });
      else answer(smtpError(535, "Authentication failed"));
    },
    onRcptTo({ address }, _session, answer) {
      answer(address === refusedRecipient ? smtpError(550, "No such user") : null);
    },
    async onData(stream, session, answer) {
      const text = await new Response(ReadableStream.from(stream)).text();
      if (refuseWith !== undefined) return answer(smtpError(refuseWith.code, refuseWith.text));
      const { mailFrom, rcptTo } = session.envelope;
      mails.push({
        from: mailFrom === false || mailFrom === null ? "" : mailFrom.address,
        to: rcptTo.map(({ address }) => address),
        text: text.replaceAll("\r\n", "\n"),
        isSecure: session.secure,
      });
      answer(null, "2.0.0 queued");
    },
  });
  // Connections that break are what some tests are about.
  server.on("error", () => {});
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  const address = server.server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port");
  return {
    port: address.port,
    mails,
    ca: cert,
    async [Symbol.asyncDispose]() {
      const { promise, resolve } = Promise.withResolvers<void>();
      server.close(() => resolve());
      await promise;
    },
  };
}

function smtpError(responseCode: number, text: string): Error {
  return Object.assign(new Error(text), { responseCode });
}

/** Settings that send mail through it. */
export function smtpTo({ port }: Pick<MailServer, "port">): SmtpConfig {
  return {
    host: "127.0.0.1",
    port,
    security: "none",
    login: null,
    from: "Acme <status@example.com>",
  };
}

/** The text of a mail as it is read: quoted-printable undone; `""` for none. */
export function readable(mail: ReceivedMail | undefined): string {
  return (mail?.text ?? "").replaceAll(/=\r?\n/g, "").replace(
    /(?:=[0-9A-F]{2})+/g,
    (escaped) => new TextDecoder().decode(Uint8Array.fromHex(escaped.replaceAll("=", ""))),
  );
}
