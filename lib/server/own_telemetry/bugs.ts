/** Unexpected errors of Watchpost itself, on their way to whoever watches it: without anything of what tenants sent. */
import {
  Denied,
  failureOf,
  InvalidInput,
  sqlStateOf,
  StoreUnavailable,
} from "../../core/errors.ts";
import type { LogFields, Logger } from "../../core/log.ts";
import { isOwnProject } from "../../core/own_work.ts";
import { Refusal } from "../../core/refusal.ts";
import { MINUTE_MS } from "../../core/time.ts";
import { TimeLimitExceeded } from "../../core/waiting.ts";

/** One place in a stack. */
export interface Frame {
  readonly function: string;
  readonly filename: string;
  readonly lineno: number;
  readonly colno: number;
  readonly in_app: boolean;
}

/** What is told of an error. */
export interface Bug {
  readonly at: Date;
  /** The line of the log that it stands in: words of ours. */
  readonly where: string;
  readonly type: string;
  readonly message: string;
  /** From the outside in. */
  readonly frames: readonly Frame[];
  readonly tags: Readonly<Record<string, string>>;
}

/** Until they are sent. */
const MOST_WAITING = 50;
/** A minute, of all together; of the same one there is one. */
const MOST_A_MINUTE = 20;

/** Collects them, in memory and up to a limit: what is wrong is mostly wrong again. */
export class BugReports {
  /** Whether somebody wants them. */
  isWanted = false;
  /** While what is ours is stored here, nothing is reported: it could be about that. */
  isStoringOwn = false;
  #waiting: Bug[] = [];
  #dropped = 0;
  #recent = new Map<string, number>();

  /** Notes an error, unless it is an outage, somebody's mistake, or about our own telemetry. */
  add(where: string, error: unknown, fields: LogFields = {}): void {
    if (!this.isWanted || this.isStoringOwn || !(error instanceof Error) || !isBug(error)) return;
    const project = fields.project ?? fields.projectId;
    if (typeof project === "string" && isOwnProject(project)) return;
    const bug = describe(where, error, fields);
    if (!this.#mayTell(bug)) return;
    if (this.#waiting.length < MOST_WAITING) this.#waiting.push(bug);
    else this.#dropped++;
  }

  /** What waits, and how many had to be dropped since the last time. */
  take(): { readonly bugs: Bug[]; readonly dropped: number } {
    const taken = { bugs: this.#waiting, dropped: this.#dropped };
    this.#waiting = [];
    this.#dropped = 0;
    return taken;
  }

  #mayTell({ where, type, frames, at }: Bug): boolean {
    const now = at.getTime();
    for (const [key, told] of this.#recent) {
      if (now - told >= MINUTE_MS) this.#recent.delete(key);
    }
    const place = frames.at(-1);
    const key = `${where} ${type} ${place?.filename}:${place?.lineno}`;
    if (this.#recent.has(key)) return false;
    if (this.#recent.size >= MOST_A_MINUTE) {
      this.#dropped++;
      return false;
    }
    this.#recent.set(key, now);
    return true;
  }
}

/** A log that reports the errors which are written to it. */
export function reportingLog(log: Logger, reports: BugReports): Logger {
  return {
    ...log,
    error(message, fields, cause) {
      log.error(message, fields);
      reports.add(message, cause ?? fields?.error, fields);
    },
  };
}

const NO_BUGS = [Denied, InvalidInput, Refusal, StoreUnavailable, TimeLimitExceeded];
/** A peer or the network; what a store is missing, `/readyz` tells. */
const NETWORK =
  /^(?:Connection\w+|NotConnected|BrokenPipe|TimedOut|UnexpectedEof|AddrNotAvailable|Interrupted|Http|AbortError)$/;

function isBug(error: Error): boolean {
  if (NO_BUGS.some((kind) => error instanceof kind) || NETWORK.test(error.name)) return false;
  return !("code" in error) || failureOf(error) !== "unavailable";
}

function describe(where: string, error: Error, fields: LogFields): Bug {
  return {
    at: new Date(),
    where,
    type: error.name,
    message: messageOf(error),
    frames: framesOf(error.stack ?? ""),
    tags: {
      ...textsOf(fields, { route: "route", method: "method", isolate: "isolate" }),
      ...textsOf(error, {
        constraint_name: "constraint",
        table_name: "table",
        routine: "routine",
      }),
      ...tag("sqlstate", sqlStateOf(error)),
      ...tag("statement", statementOf(error)),
    },
  };
}

/** @param names of the properties that hold names of ours, with what they are called then */
function textsOf(from: object, names: Readonly<Record<string, string>>): Record<string, string> {
  return Object.assign(
    {},
    ...Object.entries(names).map(([property, name]) => {
      const value: unknown = Reflect.get(from, property);
      return typeof value === "string" || typeof value === "number" ? tag(name, String(value)) : {};
    }),
  );
}

function tag(name: string, value: string): Record<string, string> {
  return value === "" ? {} : { [name]: value.slice(0, 200) };
}

/**
 * Messages of stores, libraries and parsers may quote what somebody sent. Those of the language about our own code are
 * kept, without what stands in quotes; of all others the class, the place and the names above must do.
 */
function messageOf(error: Error): string {
  const isOfLanguage = error instanceof TypeError || error instanceof ReferenceError;
  if (!isOfLanguage) return sqlStateOf(error) || error.name;
  return error.message.replaceAll(/(["'`]).*?\1|["'`].*$/gs, "…").replaceAll(/\d+/g, "0")
    .slice(0, 200);
}

/** What a statement does to which table, as `insert into events`: its text could hold a value. */
function statementOf(error: Error): string {
  const query: unknown = Reflect.get(error, "query");
  if (typeof query !== "string") return "";
  const found = /\b(insert\s+into|delete\s+from|update|select\b.*?\bfrom)\s+"?([a-z_]+)/is.exec(
    query,
  );
  const verb = found?.[1]?.toLowerCase().replace(/^select.*/s, "select from").replace(/\s+/g, " ");
  return found === null ? "" : `${verb} ${found[2]}`;
}

const PLACE =
  /^\s*at (?:async )?(?:(.*?) \()?(?:(?:file|ext|node|https?|npm|jsr):)(.*?):(\d+):(\d+)\)?$/;
const ROOT = new URL("../../../", import.meta.url).pathname;

function framesOf(stack: string): Frame[] {
  return stack.split("\n").flatMap((line) => {
    const found = PLACE.exec(line);
    if (found === null) return [];
    const [, name = "", path = "", lineno = "0", colno = "0"] = found;
    return [frameAt(name, path.replace(/^\/\/(?=\/)/, ""), Number(lineno), Number(colno))];
  }).reverse();
}

/** A place in the code, by its path from the root of Watchpost; what lies elsewhere is not ours. */
export function frameAt(name: string, path: string, lineno: number, colno: number): Frame {
  const isOurs = path.startsWith(ROOT) && !path.includes("/node_modules/");
  return {
    function: name,
    filename: isOurs
      ? path.slice(ROOT.length)
      : path.replace(/^.*\/(?:npm|node_modules)\//, "npm/"),
    lineno,
    colno,
    in_app: isOurs,
  };
}
