import { createHash } from "node:crypto";
import { SESSION_STATUSES, type SessionAggregate, type SessionStatus } from "../../records/mod.ts";
import { readTime } from "../event_time.ts";
import { asObject, clippedName, type Raw, readBoolean, readInteger, readText } from "../fields.ts";
import { readEventId } from "../ids.ts";
import { TEXT } from "../limits.ts";
import {
  clockOf,
  decoded,
  type ItemContext,
  type ItemDecoder,
  ItemError,
  objectOf,
  refuseFiltered,
} from "./item_decoder.ts";

const DAY_SEC = 86_400;
/** Sentry takes no older ones: their clients slept. */
const MAX_AGE_SEC = 5 * DAY_SEC;
const MAX_FUTURE_SEC = 60;
const MIN_DRIFT_SEC = 55 * 60;
const MAX_AGGREGATES = 1_000;
/** Beyond this a count is a lie. */
const MAX_COUNT = 10_000_000;

/** One update of one user session. */
export const decodeSession: ItemDecoder = (item, context) => {
  const raw = objectOf(item);
  const { release, environment } = attributesOf(raw, context);
  const sessionId = readEventId(raw.sid);
  if (sessionId === undefined) throw new ItemError("invalid", "no_session_id");
  const started = startOf(raw.started, context);
  const errors = Math.min(readInteger(raw.errors) ?? 0, 1_000_000);
  const status = statusOf(raw.status);
  const sentAt = readTime(raw.timestamp) ?? started.getTime() / 1000;
  return decoded({
    kind: "session",
    sessionId,
    userHash: userHash(raw.did, context),
    // The first update comes before all others, whatever the clock says.
    seq: readInteger(raw.seq) ?? (readBoolean(raw.init) ? 0 : Math.round(sentAt * 1000)),
    status,
    errors: errors === 0 && isFaulty(status) ? 1 : errors,
    durationSec: durationOf(raw.duration),
    timestamp: started,
    receivedAt: context.receivedAt,
    release,
    environment,
  });
};

/** Sessions that a server added up by minute. */
export const decodeSessions: ItemDecoder = (item, context) => {
  const raw = objectOf(item);
  const { release, environment } = attributesOf(raw, context);
  const sent = Array.isArray(raw.aggregates) ? raw.aggregates : [];
  const most = context.work.takeElements(Math.min(sent.length, MAX_AGGREGATES));
  const aggregates = sent.slice(0, most).flatMap((each) =>
    readAggregate(asObject(each), context) ?? []
  );
  const [first] = aggregates;
  if (first === undefined) throw new ItemError("invalid", "no_aggregates");
  return decoded({
    kind: "sessions",
    timestamp: first.startedAt,
    receivedAt: context.receivedAt,
    release,
    environment,
    aggregates,
  });
};

function readAggregate(raw: Raw | undefined, context: ItemContext): SessionAggregate | null {
  if (raw === undefined) return null;
  const count = (value: unknown) => Math.min(readInteger(value) ?? 0, MAX_COUNT);
  try {
    return {
      startedAt: startOf(raw.started, context),
      userHash: userHash(raw.did, context),
      exited: count(raw.exited),
      errored: count(raw.errored),
      unhandled: count(raw.unhandled),
      abnormal: count(raw.abnormal),
      crashed: count(raw.crashed),
    };
  } catch (error) {
    if (error instanceof ItemError) return null;
    throw error;
  }
}

function attributesOf(raw: Raw, context: ItemContext) {
  const attributes = asObject(raw.attrs) ?? {};
  const release = clippedName(attributes.release, TEXT.name);
  if (release === undefined) throw new ItemError("invalid", "no_release");
  refuseFiltered(release, context);
  return { release, environment: clippedName(attributes.environment, TEXT.word) ?? "" };
}

/** @throws {ItemError} for sessions that are too old or lie in the future */
function startOf(sent: unknown, context: ItemContext): Date {
  const { receivedAt, sentAt } = clockOf(context);
  const now = receivedAt.getTime() / 1000;
  const drift = sentAt === null ? 0 : now - sentAt.getTime() / 1000;
  const time = readTime(sent);
  if (time === undefined) return receivedAt;
  const started = time + (Math.abs(drift) >= MIN_DRIFT_SEC ? drift : 0);
  if (started > now + MAX_FUTURE_SEC) throw new ItemError("invalid", "session_in_future");
  const maxAge = Math.min(MAX_AGE_SEC, context.retentionDays * DAY_SEC);
  if (started < now - maxAge) throw new ItemError("invalid", "session_too_old");
  return new Date(started * 1000);
}

function statusOf(sent: unknown): SessionStatus {
  const word = readText(sent)?.toLowerCase();
  return SESSION_STATUSES.find((status) => status === word) ?? "ok";
}

function isFaulty(status: SessionStatus): boolean {
  return status === "crashed" || status === "unhandled" || status === "errored";
}

function durationOf(sent: unknown): number | null {
  const seconds = typeof sent === "string" ? Number(sent) : sent;
  return typeof seconds === "number" && seconds >= 0 && seconds < 1e9 ? seconds : null;
}

/** Mail addresses serve as ids too: only whether two are the same is kept. */
function userHash(did: unknown, { projectId }: ItemContext): string | null {
  const text = readText(did);
  if (!text) return null;
  return createHash("sha256").update(`${projectId}/${text}`).digest("hex").slice(0, 32);
}
