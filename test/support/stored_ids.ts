import { api } from "./api_client.ts";
import { ADMIN_TOKEN, type Server } from "./server.ts";

const PARALLEL = 16;

/** Which of these events the service has, in its only project. */
export async function storedIds(server: Server, ids: Iterable<string>): Promise<Set<string>> {
  const stored = new Set<string>();
  const queue = [...ids];
  const [organization] = await api<{ slug: string }[]>(server.url, ADMIN_TOKEN, "/organizations/");
  const [project] = await api<{ slug: string }[]>(server.url, ADMIN_TOKEN, "/projects/");
  const checker = async () => {
    for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
      try {
        const path = `/projects/${organization?.slug}/${project?.slug}/events/${id}/`;
        await api(server.url, ADMIN_TOKEN, path);
        stored.add(id);
      } catch {
        // Whoever asks compares.
      }
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, checker));
  return stored;
}
