/** Statements that took long: the worst of this isolate in the last hour. Their texts have no values in them. */
import { currentScope } from "../core/request_scope.ts";
import { HOUR_MS, SECOND_MS } from "../core/time.ts";

/** What takes longer than this is slow, the wait for a connection included. */
export const SLOW_MS = SECOND_MS;
const KEPT = 20;
const KEPT_MS = HOUR_MS;
const MAX_LENGTH = 400;

export interface SlowStatement {
  /** With `$1` where values were. */
  readonly text: string;
  /** For which page or address, as a pattern; "" for work of a clock. */
  readonly route: string;
  readonly ms: number;
  /** When it ended, in milliseconds since 1970. */
  readonly at: number;
}

let worst: readonly SlowStatement[] = [];

/** The slowest first. */
export function slowStatements(now: number = Date.now()): readonly SlowStatement[] {
  return worst = worstOf(worst, now);
}

/** The worst of several isolates' lists: of each text on each route the slowest. */
export function worstOf(all: readonly SlowStatement[], now: number): readonly SlowStatement[] {
  const bySource = new Map<string, SlowStatement>();
  for (const each of all) {
    const source = `${each.route}\n${each.text}`;
    if (each.at <= now - KEPT_MS || each.ms <= (bySource.get(source)?.ms ?? 0)) continue;
    bySource.set(source, each);
  }
  return [...bySource.values()].sort((a, b) => b.ms - a.ms).slice(0, KEPT);
}

/** Notes a statement, if it was slow. */
export function noteStatement(text: string, route: string, ms: number, now = Date.now()): void {
  if (ms < SLOW_MS) return;
  const short = text.replace(/--[^\n]*/g, "").replace(/\s+/g, " ").trim().slice(0, MAX_LENGTH);
  worst = worstOf([...worst, { text: short, route, ms, at: now }], now);
}

/** What the driver's queries have beside what its types tell. */
interface DriverQuery {
  handler(query: DriverQuery): void;
  resolve(result: unknown): void;
  reject(error: unknown): void;
  /** Once it was sent. */
  readonly string?: string;
}

function isQuery(value: unknown): value is DriverQuery {
  return value instanceof Object && "handler" in value && typeof value.handler === "function";
}

/**
 * Has a query timed when it is sent; fragments, which are part of other queries, never are. The driver (postgres 3.4.9)
 * calls `handler` to send a query, and `resolve` or `reject` at its end.
 */
export function timed<T>(value: T): T {
  if (!isQuery(value)) return value;
  const query = value;
  const { handler, resolve, reject } = query;
  query.handler = (sent) => {
    const began = performance.now();
    const { route = "" } = currentScope();
    const end = () => noteStatement(query.string ?? "", route, performance.now() - began);
    query.resolve = (result) => {
      end();
      resolve(result);
    };
    query.reject = (error) => {
      end();
      reject(error);
    };
    handler(sent);
  };
  return value;
}
