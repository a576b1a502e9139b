import { type Actor, authorize, Denied, type ProjectAccess } from "../accounts/authorize.ts";
import { listProjectIds, type Project } from "../accounts/projects.ts";
import type { Services } from "../server/services.ts";
import { readOrganizationTrace } from "./organization_trace.ts";
import type { OrganizationTrace } from "./trace_types.ts";

/** A trace with the projects that its parts were sent to. */
export interface OpenTrace {
  readonly trace: OrganizationTrace;
  /** Those that have parts of it which the actor may see, the one asked for first. */
  readonly projects: readonly Project[];
}

/**
 * Reads a trace from all projects of the organization: each passes the gate by itself, and what does not is counted.
 *
 * @param access to the project that was asked for it
 * @param traceId 32 lower-case hex digits
 * @returns null when nothing is stored that the actor may see
 */
export async function openTrace(
  { actor, services: { kv, sql } }: { readonly actor: Actor; readonly services: Services },
  { organization, project }: Pick<ProjectAccess, "organization" | "project">,
  traceId: string,
): Promise<OpenTrace | null> {
  const ids = await listProjectIds(kv, organization.id);
  const readable = new Map([[project.id, project]]);
  const mayRead = async (projectId: string) => {
    const access = await readAccess(kv, actor, projectId);
    if (access?.organization.id !== organization.id) return false;
    readable.set(projectId, access.project);
    return true;
  };
  const otherIds = ids.filter((id) => id !== project.id);
  const trace = await readOrganizationTrace(
    sql,
    { projectId: project.id, otherIds, mayRead },
    traceId,
  );
  if (trace === null) return null;
  const { spans, errors, logs, profiles } = trace;
  const present = new Set(
    [spans, errors, logs, profiles].flatMap((parts) => parts.map(({ projectId }) => projectId)),
  );
  return { trace, projects: [...readable.values()].filter(({ id }) => present.has(id)) };
}

async function readAccess(
  kv: Deno.Kv,
  actor: Actor,
  projectId: string,
): Promise<ProjectAccess | null> {
  try {
    return await authorize(kv, actor, { projectId }, "project:read");
  } catch (error) {
    if (error instanceof Denied) return null;
    throw error;
  }
}
