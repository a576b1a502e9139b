import { labelOf, type Labels } from "../matchers.ts";
import type { CatalogSeries } from "../series_catalog.ts";

/** Series by the group they belong to. */
export interface Grouping {
  readonly groups: readonly Group[];
  /** The place of a series' group, by series id. */
  readonly placeOf: ReadonlyMap<string, number>;
}

export interface Group {
  /** The same for the same labels, in whatever order. */
  readonly key: string;
  readonly labels: Labels;
}

/** Groups series by labels; without any there is one group. */
export function groupSeries(
  series: readonly CatalogSeries[],
  groupBy: readonly string[],
): Grouping {
  const keys = [...new Set(groupBy)].sort();
  const places = new Map<string, number>();
  const groups: Group[] = [];
  const placeOf = new Map<string, number>();
  for (const { seriesId, labels } of series) {
    const values = keys.map((key) => labelOf(labels, key));
    const text = JSON.stringify(values);
    let place = places.get(text);
    if (place === undefined) {
      places.set(text, place = groups.length);
      groups.push(groupOf(keys, groupBy, values));
    }
    placeOf.set(seriesId, place);
  }
  return { groups, placeOf };
}

function groupOf(
  keys: readonly string[],
  order: readonly string[],
  values: readonly string[],
): Group {
  const entries = keys.map((key, place): [string, string] => [key, values[place] ?? ""]);
  const byKey = new Map(entries);
  return {
    key: JSON.stringify(entries),
    labels: Object.fromEntries(order.map((label) => [label, byKey.get(label) ?? ""])),
  };
}
