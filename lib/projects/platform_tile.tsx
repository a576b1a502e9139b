import { platformOf } from "./platforms.ts";

export interface PlatformTileProps {
  /** Id of the platform. */
  readonly platform: string;
  /** Edge in pixels. @default 24 */
  readonly size?: 20 | 24 | 32;
}

/** A square with the platform's letters. Decorative: its name stands beside it. */
export function PlatformTile({ platform, size = 24 }: PlatformTileProps) {
  const { mark } = platformOf(platform);
  return (
    <svg width={size} height={size} viewBox="0 0 24 24" aria-hidden="true" class="shrink-0">
      <rect width="24" height="24" rx="5" class="fill-sunken stroke-line" />
      <text
        x="12"
        y="12"
        dy="0.36em"
        text-anchor="middle"
        font-size={mark.length > 2 ? 8 : 10}
        font-weight="600"
        class="fill-muted"
      >
        {mark}
      </text>
    </svg>
  );
}
