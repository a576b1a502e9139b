import { findIngest, type Ingest } from "../control/ingest_lookup.ts";
import type { Credentials } from "./credentials.ts";
import { Refusal } from "./refusal.ts";

/**
 * Finds the project that a request is for. Reads the key from the control store every time, so that a
 * revoked key is out from the next request on, in every process.
 *
 * @param credentials what the request brings, or null
 * @param projectId the project in the address, or null for addresses that name none
 * @throws {Refusal} 401 without a key or with one that is unknown or disabled, 403 with the key of
 * another project, 400 for an address that names no project number
 */
export async function identify(
  kv: Deno.Kv,
  credentials: Credentials | null,
  projectId: string | null,
): Promise<Ingest> {
  if (projectId !== null && !/^\d{1,18}$/.test(projectId)) throw badProjectId();
  if (credentials === null) throw unauthorized(NO_KEY, "no_key");
  const target = await findIngest(kv, credentials.publicKey);
  if (target === null) throw unauthorized(UNKNOWN_KEY, "unknown_key");
  if (!target.key.isActive) throw unauthorized(DISABLED_KEY, "disabled_key", target.project.id);
  // The same answer whether or not the project in the address exists.
  if (projectId !== null && projectId !== target.project.id) throw projectMismatch(target);
  return target;
}

const NO_KEY =
  "The request has no key: send it in X-Sentry-Auth, Authorization, sentry_key or the envelope's dsn";
const DISABLED_KEY = "This key is disabled";
const UNKNOWN_KEY = "This key is not known here: it was never issued, or has been revoked";

function unauthorized(detail: string, reason: string, projectId?: string): Refusal {
  const whose = projectId === undefined ? {} : { projectId };
  return new Refusal(401, detail, { kind: "refused", reason, ...whose });
}

function projectMismatch({ project }: Ingest): Refusal {
  return new Refusal(403, "This key does not match the project in the address", {
    kind: "refused",
    reason: "project_mismatch",
    projectId: project.id,
  });
}

function badProjectId(): Refusal {
  return new Refusal(400, "The address names no project: its id is a number", {
    kind: "invalid",
    reason: "bad_project_id",
  });
}
