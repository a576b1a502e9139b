import { percent } from "./plot_frame.tsx";

export interface Segment {
  /** From 0 to 1. */
  readonly share: number;
  /** Shown on hover. */
  readonly words: string;
  /** Class that gives the colour. */
  readonly fill: string;
}

/**
 * A horizontal bar of segments with gaps between them, as wide as its box. The figures beside it say the
 * same in words, so that it is a picture only.
 */
export function Segments({ segments }: { segments: readonly Segment[] }) {
  let reached = 0;
  return (
    <svg aria-hidden="true" height="12" class="block w-full overflow-hidden rounded-sm bg-sunken">
      {segments.map(({ share, words, fill }, index) => {
        const from = reached;
        reached += share;
        return share > 0 && (
          <g key={index}>
            <title>{words}</title>
            <rect x={percent(from)} width={percent(share)} height="12" class={fill} />
            {from > 0 && (
              <line
                x1={percent(from)}
                x2={percent(from)}
                y2="12"
                stroke-width="1.5"
                class="stroke-surface"
              />
            )}
          </g>
        );
      })}
    </svg>
  );
}
