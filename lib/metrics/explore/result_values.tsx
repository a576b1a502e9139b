import { classes } from "../../ui/components/class_names.ts";
import { colorNames } from "../../ui/charts/chart_color.ts";
import { type ChartPart, chartParts, type DrawnSeries, partValue } from "../chart_parts.ts";
import { NothingFound, type ResultTableProps } from "./result_table.tsx";
import { ValueLine } from "../value_line.tsx";

/** The last value of every series in large figures, with its course and the figures of the whole time. */
export function ResultValues({ result, queryIds, names }: ResultTableProps) {
  const parts = chartParts(result, queryIds, names, null);
  if (parts.length === 0) {
    return (
      <div class="rounded-lg border border-line bg-surface">
        <NothingFound />
      </div>
    );
  }
  return (
    <ul class="grid gap-3 sm:grid-cols-2 lg:grid-cols-3 xl:grid-cols-4">
      {parts.flatMap((part) =>
        part.drawn.map((one, index) => (
          <Value key={`${part.unit} ${index}`} drawn={one} part={part} />
        ))
      )}
    </ul>
  );
}

function Value({ drawn, part }: { readonly drawn: DrawnSeries; readonly part: ChartPart }) {
  const { label, series: { values, figures, isPrevious }, color } = drawn;
  return (
    <li class="min-w-0 rounded-lg border border-line bg-surface p-4">
      <p class="truncate text-sm text-muted" title={label}>
        <bdi>{label}</bdi>
      </p>
      <p class={classes("text-2xl font-semibold tabular-nums", isPrevious && "text-muted")}>
        {partValue(figures.last, part)}
      </p>
      <ValueLine values={values} stroke={colorNames(color, 0).stroke} />
      <p class="mt-1 text-meta text-muted tabular-nums">
        {`min ${partValue(figures.min, part)} · avg ${partValue(figures.avg, part)} · max ${
          partValue(figures.max, part)
        }`}
      </p>
    </li>
  );
}
