/**
 * Gauges by step. What a gauge was in a slot does not depend on the slot before, so settled blocks are added up while they
 * are read.
 */
import { Turns } from "../../core/waiting.ts";
import { foldBlock } from "../codec/block.ts";
import { FoldedGauges } from "../codec/folded_gauges.ts";
import { addPart, type GaugeSteps, type RawSeries } from "../points.ts";
import { rollUp } from "../rollup.ts";
import { mergeRaw, type StepRange, stepRuns, type Tier } from "../slots.ts";
import { GaugeGrid } from "./gauge_grid.ts";
import {
  eachReadable,
  type PointRead,
  type ReadServices,
  rollupRows,
  seriesOf,
  type StepRequest,
  storedRows,
  wantedOf,
} from "./raw.ts";

/** A stretch of time that is read from one tier. */
export interface CoveredRange {
  readonly startMs: number;
  readonly endMs: number;
  readonly tier: Tier;
}

/**
 * The series of a gauge by step, by ascending id.
 *
 * @param ranges by time, side by side
 * @throws {InvalidQuery} when the time of `services.deadline` is over
 * @throws what `postgres` throws
 */
export async function readGauges(
  services: ReadServices,
  projectId: string,
  request: StepRequest,
  ranges: readonly CoveredRange[],
): Promise<PointRead<GaugeSteps>> {
  const reading: GaugeReading = {
    services,
    projectId,
    request,
    wanted: wantedOf(request),
    grid: new GaugeGrid(request),
    folded: new FoldedGauges(request.columns),
  };
  let damaged = 0;
  for (const range of ranges) {
    services.deadline?.check();
    damaged += range.tier === "raw"
      ? await addPoints(reading, range)
      : await addRollups(reading, range, range.tier);
  }
  return { series: reading.grid.series(), damaged };
}

interface GaugeReading {
  readonly services: ReadServices;
  readonly projectId: string;
  readonly request: StepRequest;
  readonly wanted: ReadonlySet<string> | null;
  readonly grid: GaugeGrid;
  readonly folded: FoldedGauges;
}

/** @returns how many rows are damaged */
async function addPoints(reading: GaugeReading, { startMs, endMs }: CoveredRange): Promise<number> {
  const { services, projectId, request, wanted, grid } = reading;
  const { metricId } = request;
  const rows = await storedRows(services, projectId, { ...request, startMs, endMs });
  // From here on points may have come twice, or in another order; what is added must be later than what was.
  const unsettled = rows.filter(({ isSettled }) => !isSettled)
    .flatMap(({ slot, slots }) => slot === null ? slots ?? [] : [slot])
    .reduce((first, slot) => Math.min(first, slot.getTime()), Infinity);
  const range: StepRange = { stepMs: request.stepMs, originMs: request.startMs, startMs, endMs };
  const parts = new Map<string, RawSeries[]>();
  const damaged = await eachReadable(services, projectId, metricId, rows, (row) => {
    if (row.slot !== null && row.slot.getTime() < unsettled) addBlock(reading, row.body, range);
    else for (const series of seriesOf(row, metricId, wanted)) addPart(parts, series);
  });
  const turns = new Turns();
  for (const some of parts.values()) {
    const steps = rollUp("gauge", mergeRaw(some), range, 0);
    if (steps.kind === "gauge") grid.add(steps.seriesId, steps.times, steps);
    await turns.breathe();
  }
  return damaged;
}

/** @returns how many rows are damaged */
async function addRollups(
  reading: GaugeReading,
  { startMs, endMs }: CoveredRange,
  tier: Exclude<Tier, "raw">,
): Promise<number> {
  const { services, projectId, request } = reading;
  const rows = await rollupRows(services, projectId, { ...request, startMs, endMs }, tier);
  // Of whole slots: more than was asked for at both ends of the whole time.
  const range = { ...request, originMs: request.startMs };
  return await eachReadable(services, projectId, request.metricId, rows, ({ body }) => {
    addBlock(reading, body, range);
  });
}

function addBlock({ wanted, grid, folded }: GaugeReading, body: Uint8Array, range: StepRange) {
  foldBlock(body, wanted, (times) => stepRuns("gauge", times, range), folded);
  grid.addBlock(folded);
}
