/** What was done, for whoever has to prove it: how much of what, where, when, by whom; never of whom but by hash. */
import { z } from "zod";
import { type Job } from "./jobs.ts";
import { shareOf } from "./work.ts";

const time = z.iso.datetime();

export const ReceiptJson = z.object({
  id: z.string(),
  kind: z.enum(["export", "erase"]),
  state: z.enum(["waiting", "done", "failed"]),
  progress: z.number().describe("0 to 1"),
  identity: z.object({
    kind: z.enum(["id", "email", "username", "ip"]),
    hash: z.string().describe("SHA-256 of <organization id>/<kind>/<value in lower case>"),
  }).describe("Whom it is about"),
  askedBy: z.string().describe("Who asked for it"),
  askedAt: time.describe("When it was asked for"),
  startedAt: time.nullable().describe("When the work began"),
  finishedAt: time.nullable().describe("When it ended"),
  projects: z.array(z.object({
    id: z.string(),
    slug: z.string(),
    name: z.string(),
    counts: z.record(z.string(), z.number()).describe("How much, by kind of data"),
  })),
  error: z.string(),
  expiresAt: time.nullable().describe("Until then an export can be downloaded"),
}).meta({ title: "Export or deletion of an end user's data" });

export function receiptOf(job: Job): z.input<typeof ReceiptJson> {
  return {
    id: job.id,
    kind: job.kind,
    state: job.state,
    progress: shareOf(job),
    identity: { kind: job.identityKind, hash: job.identityHash },
    askedBy: job.askedBy,
    askedAt: job.askedAt.toISOString(),
    startedAt: job.startedAt?.toISOString() ?? null,
    finishedAt: job.finishedAt?.toISOString() ?? null,
    projects: job.projects.map((project) => ({ ...project, counts: job.counts[project.id] ?? {} })),
    error: job.lastError,
    expiresAt: job.expiresAt?.toISOString() ?? null,
  };
}
