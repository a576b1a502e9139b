import { ChartBox } from "../ui/chart_box.tsx";
import type { Heat } from "./heat.ts";
import { HeatMapChart } from "./heat_map_chart.tsx";

/** The heat map, or why there is none. */
export function HeatResult({ heat }: { readonly heat: Heat | null }) {
  if (heat === null) {
    return (
      <p class="mt-3 rounded-lg border border-line bg-surface p-4 text-muted">
        A heat map shows how the values of a histogram are spread; none of these queries asks for
        one.
      </p>
    );
  }
  return (
    <ChartBox class="mt-3">
      <HeatMapChart id="answer" heat={heat} />
    </ChartBox>
  );
}
