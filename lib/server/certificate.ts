/** Certificate and key for TLS without a proxy: read from files, looked through, and complained of in sentences. */
import { Buffer } from "node:buffer";
import { X509Certificate } from "node:crypto";
import { type Config, ConfigError } from "../core/config.ts";
import type { Logger } from "../core/log.ts";
import { DAY_MS } from "../core/time.ts";

/** What this server proves who it is with: PEM, the certificate of the server before those that signed it. */
export interface Identity {
  readonly cert: string;
  readonly key: string;
}

const BEGIN_CERTIFICATE = "-----BEGIN CERTIFICATE-----";
/** Renewed certificates come about a month before the end of the old one. */
const WARN_BEFORE_MS = 7 * DAY_MS;

/**
 * Reads the files that `TLS_CERT` and `TLS_KEY` name.
 *
 * @returns null when no TLS is wanted
 * @throws {ConfigError} when nobody could be served with them
 */
export function readIdentity({ tls }: Pick<Config, "tls">): Identity | null {
  if (tls === null) return null;
  const cert = readPem("TLS_CERT", tls.certFile);
  const key = readPem("TLS_KEY", tls.keyFile);
  if (!cert.includes(BEGIN_CERTIFICATE)) {
    throw unusable("TLS_CERT", tls.certFile, `no certificate in PEM (${BEGIN_CERTIFICATE})`);
  }
  if (/ENCRYPTED/.test(key)) {
    throw unusable("TLS_KEY", tls.keyFile, "a key with a passphrase; store it without one");
  }
  if (!/-----BEGIN (?:RSA |EC )?PRIVATE KEY-----/.test(key)) {
    throw unusable("TLS_KEY", tls.keyFile, "no private key in PEM (-----BEGIN PRIVATE KEY-----)");
  }
  tryOut({ cert, key }, tls);
  return { cert, key };
}

function readPem(name: string, path: string): string {
  try {
    return Deno.readTextFileSync(path);
  } catch (error) {
    const reason = error instanceof Deno.errors.NotFound
      ? "there is no such file"
      : error instanceof Error
      ? error.message
      : String(error);
    throw new ConfigError(`Cannot start: ${path} (${name}) cannot be read: ${reason}`);
  }
}

function unusable(name: string, path: string, found: string): ConfigError {
  return new ConfigError(`Cannot start: ${path} (${name}) has ${found}`);
}

/** Only who listens with them learns what the TLS stack thinks of both. */
function tryOut(identity: Identity, { certFile, keyFile }: NonNullable<Config["tls"]>): void {
  try {
    Deno.listenTls({ hostname: "127.0.0.1", port: 0, ...identity }).close();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError(
      `Cannot start: ${certFile} (TLS_CERT) and ${keyFile} (TLS_KEY) cannot be used together: ${reason}`,
    );
  }
}

/** Tells the log until when a certificate holds, and warns of one that clients refuse or soon will. */
export function tellValidity({ cert }: Identity, log: Logger, now: Date = new Date()): void {
  const { validFrom, validTo, subjectAltName, subject } = new X509Certificate(Buffer.from(cert));
  const until = new Date(validTo);
  const details = { names: subjectAltName ?? subject, until: until.toISOString() };
  if (new Date(validFrom) > now) log.warn("the TLS certificate is not valid yet", details);
  else if (until < now) log.warn("the TLS certificate has ended: clients refuse it", details);
  else if (until.getTime() - now.getTime() < WARN_BEFORE_MS) {
    log.warn("the TLS certificate ends soon", details);
  } else log.info("TLS certificate", details);
}

/**
 * Reads both files anew whenever SIGHUP comes, and hands on what can be used. What cannot is told in the log, and the
 * former certificate stays.
 *
 * @param renew takes the new one into use
 * @returns ends the watch when disposed of
 */
export function onRenewal(
  { config, log }: { readonly config: Pick<Config, "tls">; readonly log: Logger },
  first: Identity,
  renew: (identity: Identity) => Promise<unknown>,
): Disposable {
  tellValidity(first, log);
  let renewing = Promise.resolve();
  const renewOnce = async () => {
    try {
      const identity = readIdentity(config);
      if (identity === null) return;
      await renew(identity);
      tellValidity(identity, log);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      log.error("the TLS certificate stays as it was", {
        reason: message.replace("Cannot start: ", ""),
      });
    }
  };
  const listener = () => void (renewing = renewing.then(renewOnce));
  Deno.addSignalListener("SIGHUP", listener);
  return { [Symbol.dispose]: () => Deno.removeSignalListener("SIGHUP", listener) };
}
