/**
 * Does exports and imports, one at a time and batch by batch: each batch is noted, so that what a crash or a store that is
 * away cut short goes on where it was, and between two batches everybody else has their turn.
 */
import { startLeased } from "../accounts/leased_clock.ts";
import { findProject } from "../accounts/projects.ts";
import { failureOf } from "../core/errors.ts";
import { DAY_MS, MINUTE_MS, SECOND_MS } from "../core/time.ts";
import { pause, type Repeated } from "../core/waiting.ts";
import { deleteParts, forgetPieces, keepPieces } from "./parts.ts";
import { alerts } from "./sources/alerts.ts";
import { artifacts } from "./sources/artifacts.ts";
import { events } from "./sources/events.ts";
import { feedback } from "./sources/feedback.ts";
import { incidents } from "./sources/incidents.ts";
import { issuesFrom } from "./sources/issues.ts";
import { logs } from "./sources/logs.ts";
import { metrics } from "./sources/metrics.ts";
import { profiles } from "./sources/profiles.ts";
import { releasesFrom } from "./sources/releases.ts";
import { runs } from "./sources/runs.ts";
import { sessions } from "./sources/sessions.ts";
import { settingsFrom } from "./sources/settings.ts";
import type { ExportSource, Range, SourceStores } from "./sources/source.ts";
import { spans } from "./sources/spans.ts";
import { transactions } from "./sources/transactions.ts";
import { uptimeChecks, uptimeHours } from "./sources/uptime.ts";
import {
  type Counts,
  endTransfer,
  expiredTransfers,
  nextTransfer,
  noteExpired,
  noteProgress,
  type Progress,
  sumOf,
  type Transfer,
} from "./transfers.ts";

/** A batch of a transfer that is done. */
export interface Step {
  readonly progress: Progress;
  /** What the batch had. */
  readonly counts: Counts;
  /** Bytes that it took in the object store. */
  readonly bytes: number;
}

/** Takes what was uploaded in, from where its progress says; what is done again changes nothing. @throws {TransferFailed} */
export type RunImport = (transfer: Transfer) => AsyncIterable<Step>;

/** It cannot be done, whenever it is tried. `message` is a sentence for whoever asked. */
export class TransferFailed extends Error {
  override name = "TransferFailed";
}

export interface WorkOptions extends SourceStores {
  readonly kv: Deno.Kv;
  readonly retentionDays: number;
  readonly runImport: RunImport;
  /** @default every 3 s; null: only when `run()` is called */
  readonly everyMs?: number | null;
}

const INTERVAL_MS = 3 * SECOND_MS;
/** Longer than a look and the batch with which it ends. */
const LEASE_MS = 10 * MINUTE_MS;
const LOOK_MS = 2 * MINUTE_MS;
/** So long one is worked on while others wait. */
const TURN_MS = 20 * SECOND_MS;
/** Batches are noted this far apart: whoever sends a hundred thousand small ones does not make each of them slow. */
const NOTE_MS = 200;
/** After each note: intake comes first. */
const BREATH_MS = 10;
/** So often work begins at one place: a file that ends the process would end it at each start. */
const MAX_TRIES = 3;
const GIVEN_UP = "It was given up: Watchpost ended three times at the same place of it.";
/** For so long an export can be downloaded, and what was uploaded for an import is kept. */
export const EXPORT_DAYS = 7;

/** Starts doing what is asked for. */
export function startTransfers(options: WorkOptions): Repeated {
  const { kv, sql, objects, log, everyMs = INTERVAL_MS } = options;
  // Organizations that have had their turn.
  let served: readonly string[] = [];
  return startLeased({ kv, log }, {
    name: "transfers",
    everyMs,
    leaseMs: LEASE_MS,
    failure: "cannot go on with an export or import",
    work: async (stopping) => {
      // The right to the work is renewed by the next look.
      const until = performance.now() + LOOK_MS;
      while (!stopping.aborted && performance.now() < until) {
        // Nobody waits for all that another organization has asked for.
        const transfer = await nextTransfer(sql, served) ?? await nextTransfer(sql, []);
        if (transfer === null) break;
        const { organizationId } = transfer;
        served = served.includes(organizationId) ? [organizationId] : [...served, organizationId];
        const waits = await nextTransfer(sql, [organizationId]) !== null;
        const end = waits ? Math.min(until, performance.now() + TURN_MS) : until;
        await doTransfer(options, transfer, end, stopping);
      }
      for (const expired of await expiredTransfers(sql)) {
        await deleteParts(objects, expired);
        await noteExpired(sql, expired);
      }
    },
  });
}

/** @param until when to leave the rest to its next turn, by `performance.now()` */
async function doTransfer(
  options: WorkOptions,
  transfer: Transfer,
  until: number,
  stopping: AbortSignal,
): Promise<void> {
  const { sql, log } = options;
  const { tries = 0, ...place } = transfer.progress;
  if (tries >= MAX_TRIES) return await endTransfer(sql, transfer, GIVEN_UP, 0);
  const begun: Progress = { ...place, tries: tries + 1 };
  if (!await noteProgress(sql, transfer, begun)) return;
  let { counts, sizeBytes } = transfer;
  let progress = begun;
  let reached: Progress = place;
  let notedAt = performance.now();
  const note = async () => {
    if (!await noteProgress(sql, { ...transfer, progress, counts, sizeBytes }, reached)) {
      return false;
    }
    progress = reached;
    notedAt = performance.now();
    return true;
  };
  try {
    for await (const step of runOf(options, { ...transfer, progress: place })) {
      counts = sumOf(counts, step.counts);
      sizeBytes += step.bytes;
      reached = step.progress;
      const isOver = stopping.aborted || performance.now() >= until;
      if (!isOver && performance.now() - notedAt < NOTE_MS) continue;
      if (!await note() || isOver) return;
      await pause(BREATH_MS, stopping);
    }
    if (await note()) await endTransfer(sql, { ...transfer, progress }, "", EXPORT_DAYS);
  } catch (error) {
    const failure = failureOf(error);
    if (error instanceof TransferFailed) {
      if (await note()) await endTransfer(sql, { ...transfer, progress }, error.message, 0);
      return;
    }
    if (failure !== "statement" && failure !== "data") {
      // A store is away, which is no fault of what is worked on.
      if (progress === begun) {
        await noteProgress(sql, { ...transfer, progress }, place).catch(() => {});
      }
      throw error;
    }
    // The same again fails again, and others wait behind it.
    log.error("an export or import failed", {
      project: transfer.projectId,
      id: transfer.id,
      error,
    });
    const ended = { ...transfer, progress };
    await endTransfer(sql, ended, "It failed by an error of Watchpost: the log has more.", 0);
  }
}

function runOf(options: WorkOptions, transfer: Transfer): AsyncIterable<Step> {
  return transfer.kind === "import" ? options.runImport(transfer) : runExport(options, transfer);
}

/** In the order of the work. */
const SOURCES: readonly ((kv: Deno.Kv) => ExportSource)[] = [
  issuesFrom,
  releasesFrom,
  () => events,
  () => transactions,
  () => spans,
  () => logs,
  () => metrics,
  () => profiles,
  settingsFrom,
  () => feedback,
  () => runs,
  () => sessions,
  () => artifacts,
  () => incidents,
  () => uptimeChecks,
  () => uptimeHours,
  () => alerts,
];

async function* runExport(options: WorkOptions, transfer: Transfer): AsyncGenerator<Step> {
  const { kv, retentionDays } = options;
  const project = await findProject(kv, transfer.projectId);
  if (project === null) throw new TransferFailed("The project is deleted.");
  const range: Range = {
    projectId: transfer.projectId,
    slug: project.slug,
    since: transfer.since ??
      new Date(transfer.askedAt.getTime() - (retentionDays + 1) * DAY_MS),
    until: transfer.until ?? transfer.askedAt,
    isWhole: transfer.since === null,
  };
  const sources = SOURCES.map((make) => make(kv));
  let { step, cursor, parts } = transfer.progress;
  await forgetPieces(options.sql, transfer, parts);
  while (true) {
    const source = sources[step];
    if (source === undefined) return;
    const batch = await source.next(options, range, cursor);
    const bytes = await keepPieces(options, transfer, batch.pieces, parts);
    parts += batch.pieces.length;
    if (batch.cursor === null) step++;
    cursor = batch.cursor;
    yield { progress: { step, cursor, parts }, counts: batch.counts, bytes };
  }
}

/** Share of an export that is done, 0 to 1: by sources, as nobody knows how much is in them; null: nobody can say. */
export function shareOf({ state, kind, progress }: Transfer): number | null {
  if (state !== "waiting") return 1;
  return kind === "export" ? progress.step / SOURCES.length : null;
}
