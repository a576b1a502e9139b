/** Which entries of the audit log somebody asks for, as an address says it. */
import { DAY_MS } from "../core/time.ts";
import type { Params } from "../ui/links.ts";

export interface AuditFilter {
  /** Null: of the whole instance. */
  readonly organizationId: string | null;
  /** Whole names, or the beginnings of some with their dot: `project.`. */
  readonly events: readonly string[];
  /** Who did it, by label; "" for everybody. */
  readonly actor: string;
  /** A part of the label of what it was done to, or its id. */
  readonly target: string;
  readonly projectId: string;
  /** Included. */
  readonly start: Date | null;
  /** Excluded. */
  readonly end: Date | null;
}

/** As entered; kept as text so that a form can show it again. */
export interface AuditFilterTexts {
  readonly event: string;
  readonly actor: string;
  readonly target: string;
  readonly project: string;
  /** `YYYY-MM-DD` in UTC, both days included. */
  readonly from: string;
  readonly to: string;
}

const MAX_TEXT = 200;

/** What the form of the page shows. */
export function filterTexts(search: URLSearchParams): AuditFilterTexts {
  const of = (name: string) => (search.get(name) ?? "").trim().slice(0, MAX_TEXT);
  return {
    event: of("event"),
    actor: of("actor"),
    target: of("target"),
    project: of("project"),
    from: of("from"),
    to: of("to"),
  };
}

/** What it asks the log for; what is no date or no id asks for nothing. */
export function filterOf(organizationId: string | null, texts: AuditFilterTexts): AuditFilter {
  const end = dayOf(texts.to);
  return {
    organizationId,
    events: texts.event === "" ? [] : [texts.event],
    actor: texts.actor,
    target: texts.target,
    projectId: /^\d{1,15}$/.test(texts.project) ? texts.project : "",
    start: dayOf(texts.from),
    end: end && new Date(end.getTime() + DAY_MS),
  };
}

function dayOf(text: string): Date | null {
  const date = /^\d{4}-\d\d-\d\d$/.test(text) ? new Date(`${text}T00:00:00Z`) : null;
  return date === null || Number.isNaN(date.getTime()) ? null : date;
}

/** For addresses: what is not empty. */
export function filterParams(texts: AuditFilterTexts): Params {
  return Object.entries(texts).filter(([, value]) => value !== "");
}

/** Whether anything is left out. */
export function isFiltered(texts: AuditFilterTexts): boolean {
  return filterParams(texts).length > 0;
}
