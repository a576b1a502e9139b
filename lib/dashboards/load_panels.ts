import type { DashboardContent, Panel } from "./content.ts";
import { type Choices, withChoices } from "./variables.ts";
import type { Logger } from "../core/log.ts";
import type { Sql } from "../store/database.ts";
import { Deadline } from "../metrics/deadline.ts";
import { InvalidQuery } from "../metrics/invalid_query.ts";
import { SharedReads } from "../metrics/query/shared_reads.ts";
import { QueryTooSlow } from "../store/statement_timeout.ts";
import { TimeLimitExceeded, withTimeLimit } from "../core/time_limit.ts";
import type { Tracing } from "../releases/load_tracing.ts";
import { loadErrors } from "./load_errors.ts";
import { loadMetrics } from "./load_metrics.ts";
import { loadTransactions } from "./load_transactions.ts";
import type { PanelData } from "./panels/panel_data.ts";

/** More would only wait for each other in the database. */
const AT_ONCE = 4;

/** How long a page waits for its panels, in milliseconds. */
export interface PanelLimits {
  /** For one panel. */
  readonly panelMs: number;
  /** Later than this after the first, no panel begins. */
  readonly pageMs: number;
}

const LIMITS: PanelLimits = { panelMs: 3_000, pageMs: 6_000 };

export interface PanelServices {
  readonly sql: Sql;
  readonly log: Logger;
  /** What panels of one metric read together; absent: each for itself. */
  readonly shared?: SharedReads;
}

/**
 * Reads what the panels of a dashboard show, a few at once. A panel that fails or takes too long says so in its place;
 * the others are there all the same.
 *
 * @returns by id of the panel; every panel is there
 */
export async function loadPanels(
  services: PanelServices,
  tracing: Tracing,
  { panels }: Pick<DashboardContent, "panels">,
  choices: Choices,
  limits = LIMITS,
): Promise<ReadonlyMap<string, PanelData>> {
  const found = new Map<string, PanelData>();
  const began = performance.now();
  const waiting = [...panels];
  const sharing = { ...services, shared: new SharedReads() };
  const work = async () => {
    for (let panel = waiting.shift(); panel !== undefined; panel = waiting.shift()) {
      const isLate = performance.now() - began > limits.pageMs;
      found.set(
        panel.id,
        isLate ? TOO_LATE : await loadPanel(sharing, tracing, panel, choices, limits),
      );
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return found;
}

/** Reads one panel within its time. Never throws. */
export async function loadPanel(
  services: PanelServices,
  tracing: Tracing,
  panel: Panel,
  choices: Choices,
  { panelMs }: Pick<PanelLimits, "panelMs"> = LIMITS,
): Promise<PanelData> {
  try {
    return await withTimeLimit(read(services, tracing, panel, choices, panelMs), panelMs);
  } catch (error) {
    if (error instanceof InvalidQuery) return { kind: "failed", sentence: error.message };
    if (error instanceof TimeLimitExceeded || error instanceof QueryTooSlow) {
      return tooSlow(panelMs);
    }
    services.log.warn("cannot load a panel", { project: tracing.project.id, error });
    return { kind: "failed", sentence: "This could not be read. Reload the page to try again." };
  }
}

function tooSlow(limitMs: number): PanelData {
  const sentence = `This took longer than ${
    limitMs / 1000
  } s. Choose a shorter time, or narrow the panel's filter.`;
  return { kind: "failed", sentence };
}

const TOO_LATE: PanelData = {
  kind: "failed",
  sentence:
    "The panels before this one took too long, so this one was not read. Reload the page, or choose a shorter time.",
};

async function read(
  services: PanelServices,
  tracing: Tracing,
  panel: Panel,
  choices: Choices,
  limitMs: number,
): Promise<PanelData> {
  switch (panel.kind) {
    case "text":
      return { kind: "text" };
    case "errors":
      return await loadErrors(services.sql, tracing, panel, limitMs);
    case "transactions":
      return await loadTransactions(services.sql, tracing, panel);
    case "metrics": {
      const timed = { ...services, deadline: new Deadline(limitMs) };
      return await loadMetrics(timed, tracing, withChoices(panel, choices));
    }
  }
}
