import { TimeChart } from "../../ui/charts/mod.ts";
import { alongPage, ChartBox } from "../../ui/chart_box.tsx";
import type { Tracing } from "../../releases/load_tracing.ts";
import type { ProfileValueChoice } from "../params.ts";
import { chartUnitOf, type Nature, typeName } from "../words.ts";
import type { Volume } from "./volume.ts";

export interface VolumeChartsProps {
  readonly tracing: Tracing;
  readonly volume: Volume;
  readonly value: ProfileValueChoice;
  readonly nature: Nature;
  /** Of the page. */
  readonly path: string;
  /** Parameters of the page, each name once. */
  readonly keep: Readonly<Record<string, string>>;
}

const NOTES: Readonly<Record<Nature, string>> = {
  interval: "Added up over the profiles that began within each point.",
  cumulative: "By how much it grew within each point, of all processes together.",
  snapshot: "Average of the profiles taken within each point.",
};

/** What profiles add up to along the time of the page, and how many they are. */
export function VolumeCharts(props: VolumeChartsProps) {
  const { tracing, volume, value, nature, path, keep } = props;
  const common = alongPage(tracing, volume, path, keep);
  const { unit, factor } = chartUnitOf(value.type.unit);
  return (
    <div class="grid gap-4 lg:grid-cols-[2fr_1fr]">
      <ChartBox>
        <TimeChart
          {...common}
          id="profile-totals"
          title={typeName(value.type)}
          unit={unit}
          note={NOTES[nature]}
          series={[{
            label: typeName(value.type),
            values: volume.totals.map((total) => total === null ? null : total * factor),
            kind: nature === "snapshot" ? "line" : "bars",
          }]}
        />
      </ChartBox>
      <ChartBox>
        <TimeChart
          {...common}
          id="profile-counts"
          title="Profiles"
          unit="count"
          note="How many began within each point."
          series={[{ label: "profiles", values: volume.profiles, kind: "bars", color: 3 }]}
        />
      </ChartBox>
    </div>
  );
}
