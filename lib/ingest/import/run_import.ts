/**
 * Takes uploads in: file by file and batch by batch, by the decoders and the writer that requests go through. Neither rate
 * nor quota refuses them, what the project's settings filter and scrub is filtered and scrubbed, and what is stored
 * already stays as it is.
 */
import {
  findProject,
  type Project,
  type RetentionKind,
  settingsOf,
} from "../../accounts/projects.ts";
import { createHash } from "node:crypto";
import { StoreUnavailable } from "../../core/errors.ts";
import { DAY_MS } from "../../core/time.ts";
import { pause } from "../../core/waiting.ts";
import type { Raw } from "../../formats/fields.ts";
import type { Batch, TelemetryRecord } from "../../records/mod.ts";
import {
  type CameFrom,
  type Counts,
  FORMAT,
  type HistoryScene,
  keyOfPart,
  noteCameTo,
  type RunImport,
  type Step,
  sumOf,
  takeBundle,
  takeHistories,
  takeIssue,
  takeReleases,
  takeRuns,
  takeSessions,
  takeSettings,
  type Transfer,
  TransferFailed,
} from "../../transfers/mod.ts";
import { limitSeries } from "../admit.ts";
import { noteFirstEvent, putBlobs } from "../durable.ts";
import type { IngestServices } from "../pipeline.ts";
import { policyOf } from "../policy.ts";
import { type ItemScene, takeItem } from "./decode_item.ts";
import { filesIn, type ImportFile, MAX_JSON_FILES } from "./files.ts";
import { type Item, type ItemKind, itemsIn } from "./items.ts";

type ImportServices = Pick<
  IngestServices,
  "config" | "kv" | "sql" | "writer" | "seriesLimits" | "objects" | "log"
>;

/** Makes the function that does an import, from where it stands. */
export function importInto(services: ImportServices): RunImport {
  return (transfer) => runImport(services, transfer);
}

async function* runImport(services: ImportServices, transfer: Transfer): AsyncGenerator<Step> {
  const { kv, objects } = services;
  const project = await findProject(kv, transfer.projectId);
  if (project === null) throw new TransferFailed("The project is deleted.");
  const bytes = await objects.get(keyOfPart(transfer, 0, false));
  if (bytes === null) throw new TransferFailed("The file is gone: send it again.");
  const all = await filesIn(transfer.label, bytes);
  const files = inOrder(all);
  if (files.length === 0) throw new TransferFailed("There is no file of JSON in the archive.");
  if (files.length > MAX_JSON_FILES) {
    throw new TransferFailed(
      `The archive has more than ${MAX_JSON_FILES} files of JSON: import it in several parts.`,
    );
  }
  const scene = await sceneOf(services, project, transfer, all);
  const from = transfer.progress;
  if (from.step === 0 && from.cursor === null) {
    const leftOut = all.filter((file) => !files.includes(file) && !isPart(file)).length;
    yield { progress: { ...from, cursor: "0" }, counts: { files_left_out: leftOut }, bytes: 0 };
  }
  // Twice: issues when their events are there, settings when everything is.
  for (let step = from.step; step < 2 * files.length; step++) {
    const isForLast = step >= files.length;
    const file = files[step % files.length];
    if (file === undefined || isForLast && hasNothingLast(file)) continue;
    const start = step === from.step ? Number(from.cursor ?? 0) : 0;
    const work = { services, project, transfer, scene, name: file.name };
    const items = inTurns(itemsIn(await file.read()));
    const steps = isForLast ? lastSteps(work, items, start) : recordSteps(work, items, start);
    for await (const { at, counts } of steps) {
      yield { progress: { step, cursor: String(at), parts: 0 }, counts, bytes: 0 };
    }
    yield { progress: { step: step + 1, cursor: "0", parts: 0 }, counts: {}, bytes: 0 };
  }
}

const JSON_FILE = /\.(?:json|jsonl|ndjson)$/i;
/** What other lines name. */
const PART = /^(?:.*\/)?(?:profiles|attachments|artifacts)\/[^/]+$/;
const ABOUT = /^(?:.*\/)?export\.json$/;
/** In this order; others come first, as they may have anything. */
const NAMES = [
  "issues",
  "releases",
  "events",
  "attachments",
  "transactions",
  "spans",
  "logs",
  "metrics",
  "profiles",
  "feedback",
  "check_ins",
  "sessions",
  "artifacts",
  "incidents",
  "uptime_checks",
  "uptime_hours",
  "alerts",
];
/** What is taken when all that it names is there. */
const LAST = ["issues", "incidents", "uptime_checks", "uptime_hours", "alerts"];

function isPart({ name }: ImportFile): boolean {
  return PART.test(name) || ABOUT.test(name);
}

function inOrder(files: readonly ImportFile[]): ImportFile[] {
  return files
    .filter((file) => file.isAlone || JSON_FILE.test(file.name) && !isPart(file))
    .sort((a, b) => placeOf(a) - placeOf(b));
}

function placeOf(file: ImportFile): number {
  return NAMES.indexOf(nameOf(file));
}

function nameOf({ name }: ImportFile): string {
  return /([a-z_]+)\.jsonl$/.exec(name)?.[1] ?? "";
}

/** Files of an export have one kind of data each. */
function hasNothingLast(file: ImportFile): boolean {
  return placeOf(file) >= 0 && !LAST.includes(nameOf(file));
}

const RETENTION: Readonly<Record<ItemKind, RetentionKind | null>> = {
  release: null,
  event: "errors",
  attachment: "attachments",
  transaction: "transactions",
  spans: "transactions",
  logs: "logs",
  metrics: "metrics",
  profile: "profiles",
  feedback: "errors",
  check_in: "checks",
  sessions: "sessions",
  artifacts: null,
  issue: null,
  settings: null,
  history: null,
};

/** Whoever was let in to import may bring larger events than a client. */
const MAX_EVENT_BYTES = 16 * 1024 ** 2;

async function sceneOf(
  { config }: ImportServices,
  project: Project,
  { askedAt }: Transfer,
  files: readonly ImportFile[],
): Promise<ItemScene> {
  const settings = settingsOf(project);
  const policy = policyOf(settings);
  const byName = new Map(files.map((file) => [file.name, file]));
  const about = files.find(({ name }) => ABOUT.test(name));
  const root = about?.name.slice(0, -"export.json".length) ?? "";
  return {
    now: askedAt,
    hasErrors: about !== undefined &&
      new TextDecoder().decode(await about.read()).includes(`"${FORMAT}"`),
    file: async (name) => await byName.get(root + name)?.read() ?? null,
    context(kind, requestId, receivedAt) {
      const own = RETENTION[kind];
      const days = own === null ? undefined : settings.retention[own];
      return {
        requestId,
        projectId: project.id,
        publicKey: "",
        receivedAt,
        address: "",
        contentType: "application/json",
        policy,
        client: null,
        clientAddress: null,
        userAgent: null,
        retentionDays: Math.min(config.retentionDays, days ?? Infinity),
        maxEventBytes: MAX_EVENT_BYTES,
      };
    },
  };
}

/** After so many items whoever else waits has their turn: most of a file may be nothing at all. */
const ITEMS_A_TURN = 5_000;
/** Of a file. No export of anybody has them, and reading hundreds of millions takes hours. */
const MAX_UNREADABLE = 100_000;

/** @throws {TransferFailed} for a file that is none of ours */
async function* inTurns(items: Iterable<Item | null>): AsyncGenerator<Item | null> {
  let [count, unreadable] = [0, 0];
  for (const item of items) {
    if (item === null && ++unreadable > MAX_UNREADABLE) {
      throw new TransferFailed(
        "The file has more than 100,000 lines that cannot be read: it is another kind of file.",
      );
    }
    if (++count % ITEMS_A_TURN === 0) await pause(0);
    yield item;
  }
}

interface Work {
  readonly services: ImportServices;
  readonly project: Project;
  readonly transfer: Transfer;
  readonly scene: ItemScene;
  /** Of the file. */
  readonly name: string;
}

interface Done {
  /** The number of the item that is next. */
  readonly at: number;
  readonly counts: Counts;
}

/** Of one commit. */
const BATCH_RECORDS = 200;
const BATCH_BYTES = 2_000_000;
/** Of histories, which are short. */
const BATCH_LINES = 1_000;

async function* recordSteps(
  work: Work,
  items: AsyncIterable<Item | null>,
  start: number,
): AsyncGenerator<Done> {
  let at = 0;
  let bytes = 0;
  let records: TelemetryRecord[] = [];
  let cameFrom: CameFrom[] = [];
  let past: Item[] = [];
  let counts: Counts = {};
  const commit = async (): Promise<Done> => {
    const stored = await commitAll(work, records, at);
    await noteCameTo(work.services.sql, work.transfer, cameFrom);
    const done = { at, counts: [stored, await takePast(work, past)].reduce(sumOf, counts) };
    [bytes, records, cameFrom, past, counts] = [0, [], [], [], {}];
    return done;
  };
  for await (const item of items) {
    if (at++ < start) continue;
    if (item === null) counts = sumOf(counts, { unreadable: 1 });
    else if (isPast(item)) past.push(item);
    else if (item.kind === "artifacts") {
      const { services, transfer, scene } = work;
      counts = sumOf(counts, await takeBundle(services, transfer, item.raw, scene.file));
      yield await commit();
    } else if (!isLast(item)) {
      const taken = await takeItem(item, work.scene);
      records = records.concat(taken.records);
      cameFrom = cameFrom.concat(taken.cameFrom);
      counts = sumOf(counts, taken.counts);
    }
    bytes += item?.bytes ?? 0;
    const isFull = records.length + past.length >= BATCH_RECORDS || bytes >= BATCH_BYTES;
    if (isFull) yield await commit();
  }
  yield await commit();
}

const PAST = [
  ["release", takeReleases],
  ["check_in", takeRuns],
  ["sessions", takeSessions],
] as const;

function isPast({ kind }: Item): boolean {
  return PAST.some(([each]) => each === kind);
}

/** What is kept beside the writer: it is not new, so nothing is made of it. */
async function takePast({ services: { sql }, project, scene }: Work, items: readonly Item[]) {
  let counts: Counts = {};
  for (const [kind, take] of PAST) {
    const raws = items.filter((item) => item.kind === kind).map(({ raw }) => raw);
    if (raws.length === 0) continue;
    const { retentionDays, policy } = scene.context(kind, "", scene.now);
    counts = sumOf(
      counts,
      await take(sql, project.id, raws, {
        organizationId: project.organizationId,
        since: new Date(scene.now.getTime() - retentionDays * DAY_MS),
        now: scene.now,
        scrub: (text) => policy.scrubText(text),
      }),
    );
  }
  return counts;
}

/** Issues stand as their events let them, settings hold for what comes after, and histories are of what those made. */
function isLast({ kind }: Item): boolean {
  return kind === "issue" || kind === "settings" || kind === "history";
}

async function* lastSteps(
  work: Work,
  items: AsyncIterable<Item | null>,
  start: number,
): AsyncGenerator<Done> {
  const { services, transfer } = work;
  let at = 0;
  let bytes = 0;
  let past: Raw[] = [];
  for await (const item of items) {
    if (at++ < start || item === null || !isLast(item)) continue;
    if (item.kind === "history") {
      past.push(item.raw);
      bytes += item.bytes;
      if (past.length < BATCH_LINES && bytes < BATCH_BYTES) continue;
    }
    // Those before it are done with it.
    let counts = await takeHistories(services.sql, historySceneOf(work), past);
    [past, bytes] = [[], 0];
    if (item.kind !== "history") {
      const take = item.kind === "issue" ? takeIssue : takeSettings;
      counts = sumOf(counts, await take(services, transfer, item.raw));
    }
    yield { at, counts };
  }
  yield { at, counts: await takeHistories(services.sql, historySceneOf(work), past) };
}

function historySceneOf({ transfer, scene: { context, now } }: Work): HistoryScene {
  const daysOf = (kind: ItemKind) => context(kind, "", now).retentionDays;
  return {
    projectId: transfer.projectId,
    transferId: transfer.id,
    now,
    days: daysOf("history"),
    checkDays: daysOf("check_in"),
  };
}

/** Makes records durable, those of a kind together. @throws {StoreUnavailable} when a store is away: the same again is harmless */
async function commitAll(
  { services, project, transfer, name }: Work,
  records: readonly TelemetryRecord[],
  at: number,
): Promise<Counts> {
  const { kv, writer, objects, log, seriesLimits } = services;
  let counts: Counts = {};
  for (const [kind, some] of Map.groupBy(records, ({ kind }) => kind)) {
    for (let from = 0; from < some.length; from += BATCH_RECORDS) {
      const part = some.slice(from, from + BATCH_RECORDS);
      const batch: Batch = { records: part, outcomes: [], eventId: null };
      const limited = await limitSeries(batch, project.id, seriesLimits);
      const lost = await putBlobs(limited.records, objects, log);
      if (lost.size > 0) {
        throw new StoreUnavailable("Cannot import: the object store takes no bytes");
      }
      const receipt = receiptOf(transfer, [name, at, kind, from].join("/"));
      const result = await writer.commit(project.id, limited, receipt);
      const all = limited.records.reduce((sum, record) => sum + quantityOf(record), 0);
      const share = limited.records.length === 0 ? 0 : result.stored / limited.records.length;
      counts = sumOf(counts, {
        [COUNTED[kind]]: Math.round(all * share),
        there_already: result.duplicates,
        // Refused by the store, or of a group that somebody has discarded.
        dropped: limited.records.length - result.stored - result.duplicates +
          limited.outcomes.reduce((sum, each) => sum + each.quantity, 0),
      });
    }
  }
  if (records.length > 0) await noteFirstEvent(kv, project, transfer.askedAt);
  return counts;
}

const COUNTED: Readonly<Record<TelemetryRecord["kind"], string>> = {
  error: "events",
  attachment: "attachments",
  transaction: "transactions",
  spans: "spans",
  log: "logs",
  metrics: "metric_points",
  profile: "profiles",
  feedback: "feedback",
  session: "sessions",
  sessions: "sessions",
  check_in: "check_ins",
};

function quantityOf(record: TelemetryRecord): number {
  if (record.kind === "spans") return record.spans.length;
  return record.kind === "metrics" ? record.pointCount : 1;
}

/** The same when a batch is done again: it changes and counts nothing then. */
function receiptOf({ id, askedAt }: Transfer, place: string) {
  const hex = createHash("md5").update(`${id}/${place}`).digest("hex");
  const requestId = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  return { requestId, receivedAt: askedAt };
}
