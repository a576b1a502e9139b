import { findDeletedProject } from "../accounts/deleted_projects.ts";
import { findIngest, type Ingest } from "../accounts/ingest_lookup.ts";
import {
  adoptRecoveredKey,
  findKey,
  findRetired,
  type IngestKey,
  isAllowedOrigin,
  isPublicKey,
  type KeyType,
} from "../accounts/keys.ts";
import { Refusal } from "../core/refusal.ts";

/** What a request says about itself, and what it is let in with. */
export interface Claim {
  /** What the request brings, or null. */
  readonly credentials: Credentials | null;
  /** The project in the address, or null for addresses that name none. */
  readonly projectId: string | null;
  /** Types of keys that the protocol lets in. */
  readonly keyTypes: readonly KeyType[];
  /** Where the page is that sends, as `originOf()` reads it; null when no page does. */
  readonly origin: string | null;
}

/**
 * Finds the project that a request is for. Reads the key from the control store every time, so that a
 * revoked key is out from the next request on, in every process.
 *
 * @throws {Refusal} 401 without a key or with one that is unknown, retired or disabled; 403 with the key of
 * another project, of a type that may not send here, or from a page that may not; 400 for an address that names no
 * project number
 */
export async function identify(
  kv: Deno.Kv,
  { credentials, projectId, keyTypes, origin }: Claim,
): Promise<Ingest> {
  if (projectId !== null && !/^\d{1,18}$/.test(projectId)) throw badProjectId();
  if (credentials === null) throw unauthorized(NO_KEY, "no_key");
  const target = await findIngest(kv, credentials.publicKey) ??
    await findRecovered(kv, credentials.publicKey);
  if (target === null) throw await unknownKey(kv, credentials.publicKey);
  const { key, project } = target;
  if (!key.isActive) throw unauthorized(DISABLED_KEY, "disabled_key", project.id, key.id);
  // The same answer whether or not the project in the address exists.
  if (projectId !== null && projectId !== project.id) throw projectMismatch(target);
  if (!keyTypes.includes(key.type)) throw wrongType(target);
  if (!mayComeFrom(target, origin)) throw wrongOrigin(target, origin);
  return target;
}

/** Where a page sends from: its `Origin`, else the address in `Referer`; null when it says neither. */
export function originOf({ headers }: Request): string | null {
  const origin = headers.get("origin");
  if (origin !== null && origin !== "null") return origin;
  const referer = headers.get("referer");
  if (referer === null) return origin;
  return URL.canParse(referer) ? new URL(referer).origin : referer;
}

/** The server half of a site sends without an origin; a page always has one. */
function mayComeFrom({ key }: Ingest, origin: string | null): boolean {
  if (key.type === "server" || (key.type === "site" && origin === null)) return true;
  return isAllowedOrigin(key.allowedOrigins ?? [], origin);
}

const NO_KEY =
  "The request has no key: send it in X-Sentry-Auth, Authorization, sentry_key or the envelope's dsn";
const DISABLED_KEY = "This key is disabled";
const UNKNOWN_KEY = "This key is not known here: it was never issued, or has been revoked";

/** The first request with a key whose hash alone was left. */
async function findRecovered(kv: Deno.Kv, publicKey: string): Promise<Ingest | null> {
  return await adoptRecoveredKey(kv, publicKey) ? await findIngest(kv, publicKey) : null;
}

/** Says what became of a key that was ours: whoever sends it knew it. */
async function unknownKey(kv: Deno.Kv, publicKey: string): Promise<Refusal> {
  const [retired, key] = await Promise.all([findRetired(kv, publicKey), findKey(kv, publicKey)]);
  if (key !== null) return await keyOfDeleted(kv, key);
  if (retired === null) return unauthorized(UNKNOWN_KEY, "unknown_key");
  const { why, at, projectId, keyId } = retired;
  const day = at.toISOString().slice(0, 10);
  return why === "reissued"
    ? unauthorized(
      `This key was reissued on ${day}: use the new DSN from the project's settings`,
      "reissued_key",
      projectId,
      keyId,
    )
    : unauthorized(`This key was revoked on ${day}`, "revoked_key", projectId, keyId);
}

/** The key stays for as long as the project can be restored. */
async function keyOfDeleted(kv: Deno.Kv, { projectId }: IngestKey): Promise<Refusal> {
  const deleted = await findDeletedProject(kv, projectId);
  if (deleted === null) return unauthorized(UNKNOWN_KEY, "unknown_key");
  const day = deleted.deletedAt.toISOString().slice(0, 10);
  // Counted for nobody: what is purged must not grow.
  return unauthorized(
    `The project of this key was deleted on ${day}: restore it in the organization's settings, or use another DSN`,
    "deleted_project",
  );
}

function unauthorized(
  detail: string,
  reason: string,
  projectId?: string,
  keyId?: string,
): Refusal {
  const whose = { ...(projectId && { projectId }), ...(keyId && { keyId }) };
  return new Refusal(401, detail, { kind: "refused", reason, ...whose });
}

function forbidden({ project, key }: Ingest, detail: string, reason: string): Refusal {
  return new Refusal(403, detail, {
    kind: "refused",
    reason,
    projectId: project.id,
    keyId: key.id,
  });
}

function projectMismatch(target: Ingest): Refusal {
  return forbidden(
    target,
    "This key does not match the project in the address",
    "project_mismatch",
  );
}

function wrongType(target: Ingest): Refusal {
  return forbidden(
    target,
    `This is a ${target.key.type} key, which may send SDK events only: use a server key here`,
    "key_type",
  );
}

function wrongOrigin(target: Ingest, origin: string | null): Refusal {
  const from = origin === null
    ? "requests without an Origin"
    : `requests from ${origin.slice(0, 200).replace(/[^\x20-\x7e]/g, "?")}`;
  return forbidden(target, `This key does not take ${from}`, "origin");
}

function badProjectId(): Refusal {
  return new Refusal(400, "The address names no project: its id is a number", {
    kind: "invalid",
    reason: "bad_project_id",
  });
}

/** Who a request says it is. */
export interface Credentials {
  readonly publicKey: string;
  /** `name/version` of the client, as in `sentry.javascript.node/11.12.0`, or null. */
  readonly client: string | null;
}

/**
 * The key in the head of a request: `X-Sentry-Auth`, `Authorization: Sentry …` or the query, as the SDKs
 * send it. Sentry refuses a key that comes twice; here that is an error only when the two differ.
 *
 * @throws {Refusal} 401 when two keys are named
 */
export function credentialsInHead({ headers }: Request, url: URL): Credentials | null {
  let first: Credentials | null = null;
  for (const name of AUTH_HEADERS) first = either(first, parseAuthHeader(headers.get(name)));
  return url.search === "" ? first : either(first, readAuth(url.searchParams));
}

const AUTH_HEADERS = ["x-sentry-auth", "authorization"];

/** @throws {Refusal} 401 when they are of two keys */
function either(first: Credentials | null, other: Credentials | null): Credentials | null {
  if (first === null || other === null) return first ?? other;
  if (first.publicKey !== other.publicKey) throw twoKeys();
  return first;
}

const MAX_DSN_LENGTH = 2_048;
/** `https://<publicKey>[:<secret>]@<host>[/<path>]/<projectId>` */
const DSN =
  /^[a-z][a-z0-9+.-]*:\/\/([^:@/\s]+)(?::[^@/\s]*)?@[^@/\s]+(?:\/[^?#\s]*)?\/\d{1,20}\/?$/i;

/** The key in a DSN of whatever host and path, as envelopes from behind a tunnel carry it; null when it is none. */
export function credentialsInDsn(dsn: string | null): Credentials | null {
  if (dsn === null || dsn.length > MAX_DSN_LENGTH) return null;
  const [, key = ""] = DSN.exec(dsn.trim()) ?? [];
  const publicKey = readPublicKey(key);
  return publicKey === null ? null : { publicKey, client: null };
}

/** @throws {Refusal} 401 when a DSN in the body names another key than the one that let the request in */
export function refuseOtherKey(dsn: string | null, publicKey: string): void {
  const named = credentialsInDsn(dsn);
  if (named !== null && named.publicKey !== publicKey) throw twoKeys();
}

function twoKeys(): Refusal {
  return new Refusal(401, "The request names two different keys", {
    kind: "refused",
    reason: "two_keys",
  });
}

/** The key in `Authorization: Bearer <PUBLIC_KEY>`; null when there is none. */
export function bearerKey({ headers }: Request): Credentials | null {
  const [, token = ""] = /^Bearer +([^\s,]+)\s*$/i.exec(headers.get("authorization") ?? "") ?? [];
  if (token === "") return null;
  // What has another form is an unknown key, not a missing one.
  return { publicKey: isPublicKey(token) ? token : token.slice(0, 100), client: null };
}

const MAX_HEADER_LENGTH = 4_096;
const SCHEME = /^\s*sentry(?:\s+|$)/i;

/**
 * Reads `Sentry sentry_key=…, sentry_version=7, …`: the scheme in any case, blanks anywhere around `,` and `=`,
 * values plain or percent-encoded. Null when the scheme is another or there is no usable key.
 */
export function parseAuthHeader(text: string | null): Credentials | null {
  if (text === null || text.length > MAX_HEADER_LENGTH || !SCHEME.test(text)) return null;
  const fields = text.replace(SCHEME, "").split(",").map((field): [string, string] => {
    const equals = field.indexOf("=");
    return equals < 0 ? [field.trim(), ""] : [
      field.slice(0, equals).trim().toLowerCase(),
      decodePercent(field.slice(equals + 1).trim()),
    ];
  });
  return readAuth(new Map(fields));
}

/** What the fields of a header, or a URL's query, where JS SDKs put them, say; null when there is no usable key. */
export function readAuth(
  fields: { get(name: string): string | null | undefined },
): Credentials | null {
  const publicKey = readPublicKey(fields.get("sentry_key") ?? "");
  if (!publicKey) return null;
  return { publicKey, client: fields.get("sentry_client") || null };
}

const PUBLIC_KEY = /^[A-Za-z0-9_-]{1,64}$/;

/** A public key without the flags that may follow it, as in `key.no-cache`; null when it cannot be one. */
function readPublicKey(text: string): string | null {
  const [key = ""] = text.trim().split(".", 1);
  return PUBLIC_KEY.test(key) ? key : null;
}

/** Undoes percent-encoding. A stray % does not make a text unreadable: it stays as it is. */
export function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
