/** A release as the API answers it, read again: as strictly as what tools send, and of no time that is still to come. */
import { z } from "zod";
import { HOUR_MS } from "../core/time.ts";
import { readTime } from "../formats/event_time.ts";
import { asObject, type Raw, readInteger, readText } from "../formats/fields.ts";
import { nameOf } from "../store/values.ts";
import {
  CommitInput,
  commitOf,
  DeployInput,
  MAX_FILES_A_COMMIT,
  ReleaseInput,
} from "./api_input.ts";
import { MAX_COMMITS, type NewCommit } from "./commits.ts";
import { MAX_DEPLOYS } from "./deploys.ts";
import type { PastDeploy, PastRelease } from "./past_releases.ts";

const MAX_REFS = 100;
const id = z.string().max(64);
const Told = ReleaseInput.pick({ ref: true, url: true, status: true }).extend({
  refs: z.array(z.object({
    repository: z.string().max(200),
    commit: id,
    previousCommit: id.nullish().transform((each) => each ?? null),
  })).nullish(),
});

/** What was read, and how many of its commits and deploys could not be. */
export interface ReadRelease {
  readonly release: PastRelease;
  readonly unreadable: number;
}

/** Whether a value is a release of the API. */
export function isRelease({ version, shortVersion, dateCreated }: Raw): boolean {
  return typeof version === "string" && typeof shortVersion === "string" &&
    dateCreated !== undefined;
}

/** @returns null for what no tool could have said of a release */
export function readRelease(raw: Raw, now: Date): ReadRelease | null {
  const version = nameOf(readText(raw.version) ?? "");
  if (version === "" || version !== raw.version || isLonger(raw.refs, MAX_REFS)) return null;
  const told = Told.safeParse(raw);
  if (!told.success) return null;
  const { ref, url, status, refs } = told.data;
  const commits = readList(raw.commits, MAX_COMMITS, (each) => readCommit(each, now));
  const deploys = readList(raw.deploys, MAX_DEPLOYS, (each) => readDeploy(each, now));
  return {
    release: {
      version,
      madeBy: raw.madeBy === "tool" ? "tool" : "event",
      ref: ref ?? "",
      url: url ?? "",
      status: status ?? "open",
      refs: refs ?? [],
      createdAt: dateOf(raw.dateCreated, now) ?? now,
      releasedAt: dateOf(raw.dateReleased, now),
      firstEvent: hourOf(raw.firstEvent, now),
      lastEvent: hourOf(raw.lastEvent, now),
      commits: commits.read,
      commitsFrom: Math.max(0, readInteger(raw.commitsFrom) ?? 0),
      deploys: deploys.read,
    },
    unreadable: commits.unreadable + deploys.unreadable,
  };
}

/** @param most what is beyond is not even looked at */
function readList<Read>(value: unknown, most: number, read: (each: Raw) => Read | null) {
  const sent: readonly unknown[] = Array.isArray(value) ? value : [];
  const found = sent.slice(0, most).flatMap((each) => read(asObject(each) ?? {}) ?? []);
  return { read: found, unreadable: sent.length - found.length };
}

function isLonger(value: unknown, most: number): boolean {
  return Array.isArray(value) && value.length > most;
}

function readCommit(raw: Raw, now: Date): NewCommit | null {
  if (isLonger(raw.patch_set, MAX_FILES_A_COMMIT)) return null;
  const author = asObject(raw.author);
  const email = author?.email;
  const read = CommitInput.safeParse({
    id: raw.id,
    message: raw.message,
    repository: asObject(raw.repository)?.name,
    // Who has no name is called by the address.
    author_name: author?.name === email ? "" : author?.name,
    author_email: email,
    patch_set: raw.patch_set,
  });
  return read.success ? commitOf(read.data, dateOf(raw.dateCreated, now) ?? now) : null;
}

function readDeploy(raw: Raw, now: Date): PastDeploy | null {
  const { environment, name, url } = raw;
  const read = DeployInput.safeParse({ environment, name, url });
  const finishedAt = dateOf(raw.dateFinished, now);
  if (!read.success || finishedAt === null) return null;
  return {
    environment: read.data.environment,
    name: read.data.name ?? "",
    url: read.data.url ?? "",
    startedAt: dateOf(raw.dateStarted, now),
    finishedAt,
  };
}

/** Nothing has happened yet that is still to come. */
function dateOf(value: unknown, now: Date): Date | null {
  const seconds = readTime(value);
  if (seconds === undefined) return null;
  return new Date(Math.min(Math.round(seconds * 1_000), now.getTime()));
}

function hourOf(value: unknown, now: Date): Date | null {
  const date = dateOf(value, now);
  return date && new Date(date.getTime() - date.getTime() % HOUR_MS);
}
