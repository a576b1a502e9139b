import { type Series, seriesId, seriesKey, wholeOf } from "./series.ts";

/** Some 10 MB. */
const CAPACITY = 20_000;

/** Ids by key: hashing costs more than all the rest of counting. */
const ids = new Map<string, string>();
/** By the id of the series that they hold. */
const wholes = new Map<string, NamedSeries | null>();

/** A series and its id. */
export interface NamedSeries {
  readonly series: Series;
  readonly seriesId: string;
}

/** The id of a series. Those asked for lately are remembered. */
export function idOf(series: Series): string {
  const key = seriesKey(series);
  let id = ids.get(key);
  if (id === undefined) {
    if (ids.size >= CAPACITY) ids.clear();
    ids.set(key, id = seriesId(key));
  }
  return id;
}

/** The series of all environments and releases that one belongs to, with its id, or null where there is none. */
export function wholeWithId({ series, seriesId }: NamedSeries): NamedSeries | null {
  let whole = wholes.get(seriesId);
  if (whole === undefined) {
    if (wholes.size >= CAPACITY) wholes.clear();
    const found = wholeOf(series);
    wholes.set(seriesId, whole = found && { series: found, seriesId: idOf(found) });
  }
  return whole;
}
