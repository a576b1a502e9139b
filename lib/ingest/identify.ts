import { findDeletedProject } from "../accounts/deleted_projects.ts";
import { findIngest, type Ingest } from "../accounts/ingest_lookup.ts";
import {
  adoptRecoveredKey,
  findKey,
  findRetired,
  type IngestKey,
  isAllowedOrigin,
  type KeyType,
} from "../accounts/keys.ts";
import { Refusal } from "../core/refusal.ts";
import type { Credentials } from "./credentials.ts";

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
