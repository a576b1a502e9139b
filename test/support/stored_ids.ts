/** What a service has of what was sent to it. */
import { totalsOfCsv } from "../e2e/accounting/ledger.ts";
import { api } from "./api_client.ts";
import { signIn } from "./browserless.ts";
import { ADMIN_TOKEN, type Server } from "./server.ts";

const PARALLEL = 16;

/** Which of these events the service has, in its only project or in one of that slug. */
export async function storedIds(
  server: Server,
  ids: Iterable<string>,
  slug?: string,
): Promise<Set<string>> {
  const stored = new Set<string>();
  const queue = [...ids];
  const organization = await organizationOf(server);
  const [only] = await api<{ slug: string }[]>(server.url, ADMIN_TOKEN, "/projects/");
  const project = slug ?? only?.slug;
  const checker = async () => {
    for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
      try {
        const path = `/projects/${organization}/${project}/events/${id}/`;
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

/** Items of a category and project that were accepted this month, as the Usage page counts them. */
export async function countedAccepted(
  server: Server,
  projectId: string,
  category: "error" | "attachment",
): Promise<number> {
  const admin = await signIn(server.url);
  const month = new Date().toISOString().slice(0, "2026-11".length);
  const path = `/organizations/${await organizationOf(server)}/settings/usage/csv?month=${month}`;
  const totals = totalsOfCsv((await admin.get(path)).text);
  return totals.get(`${projectId} ${category} accepted`) ?? 0;
}

async function organizationOf({ url }: Server): Promise<string> {
  const [organization] = await api<{ slug: string }[]>(url, ADMIN_TOKEN, "/organizations/");
  if (organization === undefined) throw new Error("The instance has no organization");
  return organization.slug;
}
