/** Keeps the copy of the control store in Postgres as the store is. */
import type { Stores } from "../store/stores.ts";
import { onProjectChange } from "../accounts/kv.ts";
import {
  hashOfKey,
  type IngestKey,
  listKeys,
  listRecoveredKeys,
  type RecoveredKey,
} from "../accounts/keys.ts";
import { findOrganization, listAllOrganizations } from "../accounts/organizations.ts";
import { findProject, listProjects, type Project } from "../accounts/projects.ts";
import { type KeyCopy, saveCopy } from "../store/control_copy.ts";

type ControlStores = Pick<Stores, "kv" | "sql">;

/** Changes of a moment are copied together. */
const DELAY_MS = 1_000;

export interface ControlMirror {
  /** Copies what is noted now. Never throws. */
  flush(): Promise<void>;
  /** Copies what is noted, and stops. */
  close(): Promise<void>;
}

/**
 * Copies each project that this process changes, a second later. What is missed, because Postgres is away, comes with
 * `copyControl()`.
 */
export function startControlMirror({ kv, sql }: ControlStores): ControlMirror {
  let changed = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let copying = Promise.resolve();

  onProjectChange(kv, (projectId) => {
    changed.add(projectId);
    timer ??= setTimeout(flush, DELAY_MS);
  });

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const ids = [...changed];
    changed = new Set();
    copying = copying.then(() => copyProjects({ kv, sql }, ids)).catch(() => {});
    return copying;
  }

  return {
    flush,
    async close() {
      onProjectChange(kv, null);
      await flush();
    },
  };
}

/**
 * Copies all organizations, projects and keys. What the control store lacks stays in the copy: only a tombstone says
 * that a project is gone.
 */
export async function copyControl({ kv, sql }: ControlStores): Promise<void> {
  for (const organization of await listAllOrganizations(kv)) {
    await saveCopy(sql, { organizations: [organization], projects: [], keys: [] });
    for (const project of await listProjects(kv, organization.id)) {
      await copyProject({ kv, sql }, project);
    }
  }
}

async function copyProjects({ kv, sql }: ControlStores, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const project = await findProject(kv, id);
    if (project !== null) await copyProject({ kv, sql }, project);
  }
}

/** The project is there, so its keys are all that it has: revoked ones leave the copy. */
async function copyProject({ kv, sql }: ControlStores, project: Project): Promise<void> {
  const [organization, keys, recovered] = await Promise.all([
    findOrganization(kv, project.organizationId),
    listKeys(kv, project.id),
    listRecoveredKeys(kv, project.id),
  ]);
  await saveCopy(sql, {
    organizations: organization === null ? [] : [organization],
    projects: [{ ...project, settings: project.settings ?? {} }],
    keys: [
      ...keys.map((key) => keyCopy(key, hashOfKey(key.publicKey))),
      ...recovered.map((key) => keyCopy(key, key.hash)),
    ],
  });
}

function keyCopy(key: IngestKey | RecoveredKey, hash: string): KeyCopy {
  const { id, projectId, type, name, isActive, createdAt, allowedOrigins, ratePerSec } = key;
  const details = { id, type, name, isActive, createdAt, allowedOrigins, ratePerSec };
  return { projectId, hash, details };
}
