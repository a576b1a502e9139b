import { markFirstEvent, type Project } from "../accounts/projects.ts";

/** Projects whose first event this isolate has noted already, while their record may still say otherwise. */
const marked = new WeakMap<Deno.Kv, Set<string>>();

/**
 * Notes when a project got its first record. Costs nothing for projects that have one.
 *
 * @param project as it was read for this request
 */
export async function noteFirstEvent(kv: Deno.Kv, project: Project, at: Date): Promise<void> {
  if (project.firstEventAt !== null) return;
  const known = marked.get(kv) ?? new Set();
  marked.set(kv, known);
  if (known.has(project.id)) return;
  known.add(project.id);
  // The record itself is safe: a store that fails here must not make its client send it again.
  await markFirstEvent(kv, project.id, at).catch(() => known.delete(project.id));
}
