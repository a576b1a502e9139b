import type { Logger } from "../../core/log.ts";
import type { Sql } from "../../store/database.ts";
import type { Window } from "./alerting_events.ts";
import type { AlertInput } from "../rule.ts";
import { Deadline } from "../../metrics/deadline.ts";
import { withTimeLimit } from "../../core/time_limit.ts";
import { errorValues } from "./error_values.ts";
import type { GroupValue } from "./group_value.ts";
import { metricValues } from "./metric_values.ts";
import { transactionValues } from "./transaction_values.ts";

/** What values are read with. */
export interface ValueServices {
  readonly sql: Sql;
  readonly log: Logger;
  /** When reading metrics ends unfinished; absent: as usual. */
  readonly deadline?: Deadline;
}

/** What is read: a rule, or what somebody is still writing. */
export interface Watched extends Pick<AlertInput, "source" | "environments" | "windowMinutes"> {
  readonly projectId: string;
  /** Null: it is not stored yet. */
  readonly ruleId: string | null;
  /** What satisfies users of the project (Apdex), in milliseconds. */
  readonly apdexMs: number;
}

/** A rule that takes longer holds nobody else up. */
export const READ_LIMIT_MS = 10_000;

/**
 * Reads what a rule is judged by.
 *
 * @param window of the length of the rule's; issues may be asked for over a longer one
 * @returns the groups there are: one without labels for what has no groups
 * @throws {InvalidQuery} for queries that make no sense
 * @throws {QueryTooSlow | TimeLimitExceeded} after {@linkcode READ_LIMIT_MS}
 */
export async function readValues(
  services: ValueServices,
  watched: Watched,
  window: Window,
): Promise<GroupValue[]> {
  const timed = { ...services, deadline: new Deadline(READ_LIMIT_MS) };
  return await withTimeLimit(valuesOf(timed, watched, window), READ_LIMIT_MS);
}

function valuesOf(
  services: ValueServices,
  watched: Watched,
  window: Window,
): Promise<GroupValue[]> {
  const { source } = watched;
  switch (source.kind) {
    case "metric":
      return metricValues(services, watched, source, window);
    case "errors":
      return errorValues(services.sql, watched, source, window);
    case "transactions":
      return transactionValues(services.sql, watched, source, window);
  }
}
