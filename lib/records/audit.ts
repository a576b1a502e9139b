/** The audit log's record: who changed what, from what to what, when and from where. */
import { v7 as uuidV7 } from "uuid";
import { type Asker, currentScope } from "../core/request_scope.ts";

/** A value as it was and as it is; null: there was or is none. */
export type AuditChange = readonly [before: unknown, after: unknown];

export interface AuditTarget {
  /** `project`, `user`, `rule`: what the event's name begins with, mostly. */
  readonly kind: string;
  readonly id: string;
  /** As people know it: kept, so that it outlives what it names. */
  readonly label: string;
}

export interface AuditInput {
  /** Sentry's name where it has one, such as `project.edit`; see `docs/audit.md`. */
  readonly event: string;
  /**
   * Null for what concerns the whole instance or a person alone.
   *
   * @default the one that `authorize` let the request in hand work on last
   */
  readonly organizationId?: string | null;
  readonly projectId?: string | null;
  readonly target: AuditTarget;
  /** By field; see {@linkcode changesBetween}. */
  readonly changes?: Readonly<Record<string, AuditChange>>;
  /** @default who asked for the work in hand, see `request_scope.ts` */
  readonly by?: Asker;
}

export interface AuditEntry extends Required<AuditInput> {
  /** UUID version 7: in order of time. */
  readonly id: string;
  readonly at: Date;
}

/** Completes an entry with its id, its time and who asked. @param now milliseconds since 1970; absent: in order within this process */
export function auditEntry(input: AuditInput, now?: number): AuditEntry {
  const scope = currentScope();
  const id = now === undefined ? uuidV7() : uuidV7({ msecs: now });
  return {
    organizationId: scope.organizationId ?? null,
    projectId: null,
    changes: {},
    by: scope.asker,
    ...input,
    id,
    at: new Date(parseInt(id.slice(0, 8) + id.slice(9, 13), 16)),
  };
}

/** Stands for a secret: that it changed is kept, what it was is not. */
const SECRET = "[secret]";
const IS_SECRET = /secret|password|token|credential|authorization|private|sealed|hash/i;
/** Of one value as JSON: entries are read in lists. */
const MAX_VALUE = 2_000;

/**
 * The fields in which two records differ.
 *
 * @param before null: it was made @param after null: it was deleted
 * @param secrets names of fields whose values are not kept, beside those that look like one
 */
export function changesBetween<T extends object>(
  before: T | null,
  after: T | null,
  secrets: readonly string[] = [],
): Record<string, AuditChange> {
  const a: Readonly<Record<string, unknown>> = { ...before };
  const b: Readonly<Record<string, unknown>> = { ...after };
  const changes: Record<string, AuditChange> = {};
  let room = MAX_CHANGES;
  for (const name of new Set([...Object.keys(a), ...Object.keys(b)])) {
    if (JSON.stringify(a[name]) === JSON.stringify(b[name])) continue;
    const shown = IS_SECRET.test(name) || secrets.includes(name) ? hidden : short;
    const change: AuditChange = [shown(a[name]), shown(b[name])];
    room -= JSON.stringify(change).length;
    changes[name] = room >= 0 ? change : [CUT, CUT];
  }
  return changes;
}

/** Characters of all changes of an entry: the control store takes values of 64 KB, two bytes a character. */
const MAX_CHANGES = 20_000;
/** Stands for a value that found no room. */
const CUT = "…";

function hidden(value: unknown): unknown {
  return value === undefined || value === null ? null : SECRET;
}

function short(value: unknown): unknown {
  const text = JSON.stringify(value, (name, inner) => IS_SECRET.test(name) ? hidden(inner) : inner);
  if (text === undefined) return null;
  return text.length <= MAX_VALUE ? JSON.parse(text) : `${text.slice(0, MAX_VALUE)}…`;
}
