/** A trace on its way to the browser: arrays instead of objects, each text once, times as differences. */
import {
  LEVELS,
  LOG_LEVELS,
  type Profile,
  PROFILE_KINDS,
  SPAN_CATEGORIES,
  SPAN_KINDS,
  type SpanCategory,
  type SpanKind,
} from "../../records/mod.ts";
import { exactNanos, msBetween, nearestMs } from "../../records/span_rules.ts";
import type { WaterfallData, WaterfallProject, WaterfallSpan } from "../trace_types.ts";

const FAILED = 1;
const ENTRY = 2;
/** Characters of a title, or of a log's text, that a row or a hover text can use. */
const MAX_TEXT = 300;
/** Nanoseconds of a millisecond. */
const PRECISION = 1_000_000;

type TextIndex = number;

type CompactSpan = readonly [
  spanId: string,
  /** Index among the spans, or the id of a parent that is not among them. */
  parent: number | string | null,
  start: number,
  durationMs: number,
  title: TextIndex,
  op: TextIndex,
  status: TextIndex,
  service: TextIndex,
  kind: number,
  category: number,
  flags: number,
  /** Index among the projects. */
  project: number,
];

/** `span` is an index among the spans, an id that is not among them, or null. */
type SpanReference = number | string | null;

export interface CompactTrace {
  readonly traceId: string;
  /** In milliseconds since 1970; the times of everything else count from it. */
  readonly base: number;
  readonly isCut: boolean;
  readonly hiddenSpans: number;
  readonly projects: readonly WaterfallProject[];
  readonly texts: readonly string[];
  readonly spans: readonly CompactSpan[];
  readonly errors: readonly (readonly [
    eventId: string,
    issueId: string,
    span: SpanReference,
    time: number,
    level: number,
    title: TextIndex,
    project: number,
  ])[];
  readonly logs: readonly (readonly [
    span: SpanReference,
    time: number,
    level: number,
    body: TextIndex,
  ])[];
  readonly profiles: readonly (readonly [
    profileId: string,
    span: SpanReference,
    time: number,
    durationMs: number,
    source: number,
    kind: number,
    service: TextIndex,
    profilerId: string | null,
    threadId: string | null,
    clip: readonly [start: number, end: number] | null,
    isByLabel: 0 | 1,
    project: number,
  ])[];
}

const PROFILE_SOURCES = [
  "pprof",
  "sentry_sample_v1",
  "sentry_sample_v2",
  "otlp",
] as const satisfies readonly Profile["source"][];

/** Packs a trace; {@linkcode unpackTrace} gives it back with long texts cut. */
export function packTrace(data: WaterfallData): CompactTrace {
  const base = Math.floor(earliest(data));
  const baseNanos = exactNanos(base / 1_000);
  const texts = new Map<string, number>();
  const text = (value: string): number => {
    const cut = value.slice(0, MAX_TEXT);
    const known = texts.get(cut);
    if (known !== undefined) return known;
    texts.set(cut, texts.size);
    return texts.size - 1;
  };
  const indices = new Map<string, number>();
  for (const [index, { spanId }] of data.spans.entries()) {
    if (!indices.has(spanId)) indices.set(spanId, index);
  }
  const reference = (id: string | null): SpanReference =>
    id === null ? null : indices.get(id) ?? id;
  const places = new Map(data.projects.map(({ id }, place) => [id, place]));
  const project = (id: string) => places.get(id) ?? -1;
  const since = (time: number) => rounded(time - base);
  const { traceId, isCut, hiddenSpans, projects } = data;
  return {
    traceId,
    base,
    isCut,
    hiddenSpans,
    projects,
    spans: data.spans.map((span): CompactSpan => [
      span.spanId,
      reference(span.parentSpanId),
      msBetween(baseNanos, BigInt(span.startNanos)),
      msBetween(BigInt(span.startNanos), BigInt(span.endNanos)),
      text(span.title),
      text(span.op),
      text(span.status),
      text(span.service),
      SPAN_KINDS.indexOf(span.kind),
      SPAN_CATEGORIES.indexOf(span.category),
      (span.isFailed ? FAILED : 0) | (span.isEntry ? ENTRY : 0),
      project(span.projectId),
    ]),
    errors: data.errors.map(({ eventId, issueId, spanId, time, level, title, projectId }) => [
      eventId,
      issueId,
      reference(spanId),
      since(time),
      LEVELS.indexOf(level),
      text(title),
      project(projectId),
    ]),
    logs: data.logs.map(({ spanId, time, level, body }) => [
      reference(spanId),
      since(time),
      LOG_LEVELS.indexOf(level),
      text(body),
    ]),
    profiles: data.profiles.map((profile) => [
      profile.profileId,
      reference(profile.spanId),
      since(profile.time),
      rounded(profile.durationMs),
      PROFILE_SOURCES.indexOf(profile.source),
      PROFILE_KINDS.indexOf(profile.kind),
      text(profile.service),
      profile.profilerId,
      profile.threadId,
      profile.clip && [since(profile.clip.start), since(profile.clip.end)],
      profile.isByLabel ? 1 : 0,
      project(profile.projectId),
    ]),
    texts: [...texts.keys()],
  };
}

/** Unpacks what {@linkcode packTrace} made. */
export function unpackTrace(packed: CompactTrace): WaterfallData {
  const { traceId, base, isCut, hiddenSpans, projects, texts } = packed;
  const text = (index: TextIndex) => texts[index] ?? "";
  const baseNanos = exactNanos(base / 1_000);
  const projectAt = (place: number) => projects[place]?.id ?? "";
  const idOf = (reference: SpanReference): string | null =>
    typeof reference === "number" ? packed.spans[reference]?.[0] ?? null : reference;
  return {
    traceId,
    isCut,
    hiddenSpans,
    projects,
    spans: packed.spans.map((span): WaterfallSpan => {
      const [spanId, parent, start, durationMs, title, op, status, service, ...more] = span;
      const [kind, category, flags, project] = more;
      const startNanos = baseNanos + nanosIn(start);
      const endNanos = startNanos + nanosIn(durationMs);
      return {
        spanId,
        parentSpanId: idOf(parent),
        start: nearestMs(startNanos),
        end: nearestMs(endNanos),
        startNanos: String(startNanos),
        endNanos: String(endNanos),
        title: text(title),
        op: text(op),
        status: text(status),
        service: text(service),
        kind: SPAN_KINDS[kind] ?? "" satisfies SpanKind,
        category: SPAN_CATEGORIES[category] ?? "" satisfies SpanCategory,
        isFailed: (flags & FAILED) !== 0,
        isEntry: (flags & ENTRY) !== 0,
        projectId: projectAt(project),
      };
    }),
    errors: packed.errors.map(([eventId, issueId, span, time, level, title, project]) => ({
      eventId,
      issueId,
      spanId: idOf(span),
      time: base + time,
      level: LEVELS[level] ?? "error",
      title: text(title),
      projectId: projectAt(project),
    })),
    logs: packed.logs.map(([span, time, level, body]) => ({
      spanId: idOf(span),
      time: base + time,
      level: LOG_LEVELS[level] ?? "info",
      body: text(body),
    })),
    profiles: packed.profiles.map(([profileId, span, time, durationMs, source, kind, ...more]) => {
      const [service, profilerId, threadId, clip, isByLabel, project] = more;
      return {
        profileId,
        spanId: idOf(span),
        time: base + time,
        durationMs,
        source: PROFILE_SOURCES[source] ?? "pprof",
        kind: PROFILE_KINDS[kind] ?? "other",
        service: text(service),
        profilerId,
        threadId,
        clip: clip && { start: base + clip[0], end: base + clip[1] },
        isByLabel: isByLabel === 1,
        projectId: projectAt(project),
      };
    }),
  };
}

function earliest({ spans, errors, logs, profiles }: WaterfallData): number {
  let first = Infinity;
  for (const { start } of spans) first = Math.min(first, start);
  for (const list of [errors, logs, profiles]) {
    for (const { time } of list) first = Math.min(first, time);
  }
  return Number.isFinite(first) ? first : 0;
}

function nanosIn(ms: number): bigint {
  return BigInt(Math.round(ms * PRECISION));
}

function rounded(ms: number): number {
  return Math.round(ms * PRECISION) / PRECISION;
}
