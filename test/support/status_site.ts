/** Acme with a project, an uptime monitor with a history, and a status page that shows it. */
import { DAY_MS, HOUR_MS } from "@/lib/core/time.ts";
import type { Config } from "@/lib/core/config.ts";
import { createProject, type Project } from "@/lib/accounts/projects.ts";
import { checkMonitor, type Monitor } from "@/lib/monitors/uptime/monitor.ts";
import { createMonitor } from "@/lib/monitors/uptime/monitors.ts";
import { addToSums } from "@/lib/monitors/uptime/sums.ts";
import type { PostInput } from "@/lib/monitors/status/posts.ts";
import { refreshSnapshot } from "@/lib/monitors/status/snapshot.ts";
import {
  changePage,
  COLOURS,
  type PageEntry,
  type PageSettings,
  savePage,
  type StatusPage,
} from "@/lib/monitors/status/status_page.ts";
import type { Services } from "@/lib/server/services.ts";
import { type Acme, acme } from "./ui_app.ts";

export const SETTINGS: PageSettings = {
  title: "Acme",
  slug: "acme",
  about: "",
  host: null,
  isPublic: true,
  headColour: COLOURS.head,
  linkColour: COLOURS.link,
};

export const INCIDENT: PostInput = {
  kind: "incident",
  title: "Checkout fails",
  entries: [],
  impact: "partial",
  state: "investigating",
  text: "We look into it.",
  times: null,
};

export interface StatusSite extends Acme {
  readonly project: Project;
  readonly monitor: Monitor;
  readonly page: StatusPage;
  /** The entry of the monitor. */
  readonly entry: PageEntry;
  /** A request without cookies, as a stranger sends it. */
  ask(path: string, init?: RequestInit): Promise<Response>;
}

/** The monitor was up for two days, and down for the last 36 seconds of them. */
export async function statusSite(
  settings: Partial<PageSettings> = {},
  config: Partial<Config> = {},
): Promise<StatusSite> {
  await using opened = new AsyncDisposableStack();
  const app = opened.use(await acme(config));
  const { services, organization } = app;
  const project = await createProject(services.kv, {
    organizationId: organization.id,
    name: "Shop",
    platform: "node",
  });
  const monitor = await uptimeMonitor(services, project.id);
  await history(services, monitor, 36);
  const entry: PageEntry = {
    projectId: project.id,
    monitorId: monitor.monitorId,
    name: "Checkout",
    group: "Shop",
    badge: "0123456789abcdef0123456789abcdef",
  };
  await savePage(services.kv, organization.id, { ...SETTINGS, ...settings }, "olga@example.com");
  const page = await changePage(services.kv, organization.id, () => ({ entries: [entry] }), "");
  if (page === null) throw new Error("The page is gone");
  await refreshSnapshot(services, page);
  const moved = opened.move();
  return {
    ...app,
    project,
    monitor,
    page,
    entry,
    ask: (path, init) => app.handle(new Request(new URL(path, "http://localhost:8000"), init)),
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}

/** A monitor of a target that nobody outside should hear of. */
export async function uptimeMonitor(
  services: Services,
  projectId: string,
  name = "internal-checkout",
): Promise<Monitor> {
  const checked = checkMonitor({
    name,
    target: { kind: "http", url: "https://secret-target.example.com/health?key=hidden" },
  });
  if (!checked.ok) throw new Error(JSON.stringify(checked.problems));
  const monitor = await createMonitor(services, projectId, checked.input, "");
  await setState(services, monitor, "up");
  return monitor;
}

export async function setState(
  { sql }: Services,
  { projectId, monitorId }: Monitor,
  state: string,
): Promise<void> {
  await sql`
    update uptime_monitors set state = ${state}, last_error = 'connection to 10.1.2.3 refused'
    where project_id = ${projectId} and monitor_id = ${monitorId}
  `;
}

/** Two days up to now, of which the last seconds were down. */
async function history({ sql }: Services, monitor: Monitor, downSec: number): Promise<void> {
  const now = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  const down = new Date(now - downSec * 1_000);
  await sql.begin((tx) =>
    addToSums(tx, monitor, [
      { kind: "up", start: new Date(now - 2 * DAY_MS), end: down },
      { kind: "down", start: down, end: new Date(now) },
    ], null)
  );
}
