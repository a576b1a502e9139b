import { colorNames } from "../../ui/charts/chart_color.ts";
import { Segments } from "../../ui/charts/segments.tsx";
import { formatCount, formatExact, formatPercent } from "../../ui/format.ts";
import { STATUS_CLASSES } from "./status_classes.ts";

/** Status classes of requests: a bar, and below it the count of each class that occurred. */
export function AnswerBar({ answers }: { readonly answers: readonly number[] }) {
  const total = answers.reduce((sum, each) => sum + each, 0);
  const classes = STATUS_CLASSES.map(({ label, words, color }, place) => {
    const requests = answers[place] ?? 0;
    const share = total === 0 ? 0 : requests / total;
    return {
      label: label === "none" ? "no status" : label,
      requests: Math.round(requests),
      share,
      words: `${formatExact(Math.round(requests))} ${words} (${label}), ${formatPercent(share)}`,
      fill: colorNames(color, place).fill,
    };
  }).filter(({ share }) => share > 0);
  return (
    <div class="w-40">
      <Segments segments={classes} />
      <ul class="flex gap-x-2 overflow-hidden text-meta whitespace-nowrap text-muted tabular-nums">
        {classes.map(({ label, requests, words }) => (
          <li key={label} title={words}>{`${label} ${formatCount(requests)}`}</li>
        ))}
      </ul>
    </div>
  );
}
