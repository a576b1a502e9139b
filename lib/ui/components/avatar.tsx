import { classes } from "./class_names.ts";
import { initials } from "../format.ts";

/** Written out in full, because Tailwind keeps only class names that it can read in the source. */
const FILLS = [
  "fill-series-1",
  "fill-series-2",
  "fill-series-3",
  "fill-series-4",
  "fill-series-6",
  "fill-series-7",
] as const;

export interface AvatarProps {
  /** Person or project; the same name always gets the same colour. */
  readonly name: string;
  /** Edge in pixels. @default 24 */
  readonly size?: 20 | 24 | 32;
  /** `square` for projects, `round` for people. @default "round" */
  readonly shape?: "round" | "square";
}

/** Initials on a colour that follows from the name. Decorative: the name stands beside it. */
export function Avatar({ name, size = 24, shape = "round" }: AvatarProps) {
  return (
    <svg width={size} height={size} viewBox="0 0 24 24" aria-hidden="true" class="shrink-0">
      <rect
        width="24"
        height="24"
        rx={shape === "round" ? 12 : 5}
        class={classes(FILLS[hash(name) % FILLS.length], "opacity-20")}
      />
      <text
        x="12"
        y="12"
        dy="0.36em"
        text-anchor="middle"
        font-size={shape === "round" ? 10 : 11}
        font-weight="600"
        class="fill-ink"
      >
        {initials(name)}
      </text>
    </svg>
  );
}

function hash(text: string): number {
  let sum = 0;
  for (const letter of text) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 65_521;
  return sum;
}
