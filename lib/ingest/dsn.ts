import { readPublicKey } from "./auth.ts";

/** The part of a DSN that says who sends: `https://<publicKey>[:<secret>]@<host>[/<path>]/<projectId>`. */
export interface Dsn {
  readonly publicKey: string;
  /** Decimal digits. */
  readonly projectId: string;
}

const MAX_LENGTH = 2_048;
const DSN =
  /^[a-z][a-z0-9+.-]*:\/\/([^:@/\s]+)(?::[^@/\s]*)?@[^@/\s]+(?:\/[^?#\s]*)?\/(\d{1,20})\/?$/i;

/** Reads a DSN, of whatever host and path; null when it is none. */
export function parseDsn(text: string): Dsn | null {
  if (text.length > MAX_LENGTH) return null;
  const [, key, projectId] = DSN.exec(text.trim()) ?? [];
  const publicKey = key && readPublicKey(key);
  return publicKey && projectId ? { publicKey, projectId } : null;
}
