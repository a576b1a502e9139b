import type { ComponentChildren } from "preact";

export interface ShareOfProps {
  /** 0 to 1. */
  readonly share: number;
  /** What the share is of, in words. */
  readonly title: string;
  /** The figure itself. */
  readonly children: ComponentChildren;
}

const WIDTH = 48;

/** A figure with a bar that shows how much of the whole it is. */
export function ShareOf({ share, title, children }: ShareOfProps) {
  return (
    <span class="inline-flex items-center justify-end gap-2" title={title}>
      {children}
      <svg width={WIDTH} height="6" aria-hidden="true" class="max-sm:hidden">
        <rect width={WIDTH} height="6" rx="1" class="fill-sunken" />
        <rect
          width={Math.min(1, Math.max(0, share)) * WIDTH}
          height="6"
          rx="1"
          class="fill-series-1"
        />
      </svg>
    </span>
  );
}
