/** What tests of histories of monitors and alerts begin with. */
import { takeLease } from "@/lib/accounts/kv.ts";
import { pauseMonitor } from "@/lib/monitors/uptime/monitors.ts";
import { storedMonitor } from "./stored_monitors.ts";
import { AT, type Transferred, transferred } from "./transferred.ts";

const DAY_MS = 86_400_000;

/** So many minutes after everything began. */
export function at(minute: number): Date {
  return new Date(AT * 1_000 + minute * 60_000);
}

/** A project's world whose clocks stand still: tests say what time it is. */
export async function stillWorld(): Promise<Transferred> {
  const world = await transferred();
  for (const clock of ["alerts", "monitors"]) {
    await takeLease(world.services.kv, clock, "test", DAY_MS);
  }
  return world;
}

/** A monitor of the world's project that checks nothing. @returns its id */
export async function pausedMonitor({ project, services }: Transferred): Promise<string> {
  const { monitorId } = await storedMonitor(services, project.id, {}, [{}]);
  await pauseMonitor(services.sql, { projectId: project.id, monitorId }, true, "");
  return monitorId;
}

/** Of an incident of uptime, as a file has it. */
export const EVIDENCE = {
  status: 500,
  address: null,
  durationMs: 5,
  phases: { dns: 1, connect: 1, tls: null, firstByte: 1, download: 1 },
  headers: [],
  body: "",
  redirects: [],
  certificate: null,
};
