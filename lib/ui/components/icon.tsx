/** Outlines on a 16 × 16 grid, drawn with a stroke of 1.5. */
const PATHS = {
  menu: "M2.5 4.5h11M2.5 8h11M2.5 11.5h11",
  close: "M4 4l8 8M12 4l-8 8",
  "chevron-down": "M4 6l4 4 4-4",
  "chevron-up": "M4 10l4-4 4 4",
  "chevron-left": "M10 4L6 8l4 4",
  "chevron-right": "M6 4l4 4-4 4",
  "chevrons-left": "M8 4L4 8l4 4M12.5 4l-4 4 4 4",
  "chevrons-right": "M8 4l4 4-4 4M3.5 4l4 4-4 4",
  "arrow-right": "M3 8h10M9 4l4 4-4 4",
  "sort-up": "M8 12.5v-9M4.5 7L8 3.5 11.5 7",
  "sort-down": "M8 3.5v9M4.5 9L8 12.5 11.5 9",
  plus: "M8 3v10M3 8h10",
  minus: "M3 8h10",
  check: "M3 8.5l3.5 3.5L13 4.5",
  star: "M8 2l1.8 3.8 4.2.5-3.1 2.9.8 4.1L8 11.3l-3.7 2 .8-4.1L2 6.3l4.2-.5z",
  copy: "M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z",
  search: "M7 12a5 5 0 1 0 0-10 5 5 0 0 0 0 10zM10.7 10.7L14 14",
  filter: "M2 3.5h12L9.5 9v4.5l-3-1.5V9z",
  refresh: "M13.5 8A5.5 5.5 0 1 1 11.7 3.9M13.5 2v3h-3",
  clock: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 4.5V8l2.5 1.5",
  external: "M6.5 3H3v10h10V9.5M9 2.5h4.5V7M13 3L7.5 8.5",
  trash: "M2.5 4.5h11M6 4.5v-2h4v2M4 4.5l.6 9h6.8l.6-9M6.7 7v4M9.3 7v4",
  key: "M5.5 13a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM7.7 7.8L13.5 2M11 4.5l2 2",
  more: "M3.5 8h.01M8 8h.01M12.5 8h.01",
  issues: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 5v3.5M8 11h.01",
  feedback: "M2.5 3h11v8h-6L4.5 13.5V11h-2zM5 6h6M5 8.5h4",
  releases: "M8 2l5 2.5v6L8 14l-5-3.5v-6zM3 4.5L8 7l5-2.5M8 7v7",
  performance: "M2 12.5l3.5-5 3 3L14 3.5M10.5 3.5H14V7",
  transactions: "M2.5 3.5h11M2.5 8h7M2.5 12.5h4",
  endpoints: "M2.5 4h3.5v8H2.5M13.5 4H10v8h3.5M6 8h4",
  queries: "M3 4c0-2 10-2 10 0v8c0 2-10 2-10 0zM3 4c0 2 10 2 10 0M3 8c0 2 10 2 10 0",
  site:
    "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM2 8h12M8 2c-2.2 1.6-3 3.7-3 6s.8 4.4 3 6M8 2c2.2 1.6 3 3.7 3 6s-.8 4.4-3 6",
  vitals: "M1.5 8h3l1.5-4 3 8.5L11 8h3.5",
  traces: "M2 3.5h7M4.5 6.5h6M7 9.5h6M7 12.5h3",
  metrics: "M2.5 2v11.5h11M5 10.5V8M8 10.5V4.5M11 10.5v-4",
  dashboards: "M2.5 2.5h4.5v6H2.5zM9 2.5h4.5v3H9zM9 7.5h4.5v6H9zM2.5 10.5h4.5v3H2.5z",
  alerts: "M4 11.5V7a4 4 0 0 1 8 0v4.5M2.5 11.5h11M6.5 13.8c.8.6 2.2.6 3 0",
  monitors: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM4 8.2h1.6l1-2.4 2 4.6 1.2-2.2H12",
  profiling:
    "M8.5 1.5c.3 2.8 3.5 4.3 3.5 8a4 4 0 0 1-8 0c0-1.6.8-2.8 1.7-3.8.2 1.3.7 2 1.5 2.3C7.4 5.8 7.2 3.5 8.5 1.5z",
  logs: "M3 3.5h10M3 6.5h7M3 9.5h10M3 12.5h5",
  setup: "M5.5 2v3.5M10.5 2v3.5M3.5 5.5h9v2a4.5 4.5 0 0 1-9 0zM8 12v2.5",
  settings:
    "M2 4.5h6M12 4.5h2M10 6.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM2 11.5h2M8 11.5h6M6 13.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4z",
  projects: "M2.5 2.5h4.5v4.5H2.5zM9 2.5h4.5v4.5H9zM2.5 9h4.5v4.5H2.5zM9 9h4.5v4.5H9z",
  organization: "M2.5 13.5h11M4 13.5v-11h5v11M9 6.5h3.5v7M6 5.5h1M6 8h1M6 10.5h1",
  members:
    "M6 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM1.5 13.5c0-2.5 2-4 4.5-4s4.5 1.5 4.5 4M10.5 2.8a2.5 2.5 0 0 1 0 4.4M12 9.8c1.6.5 2.5 1.8 2.5 3.7",
  user: "M8 8a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2.5 14c0-2.8 2.4-4.5 5.5-4.5s5.5 1.7 5.5 4.5",
  "sign-out": "M6.5 2.5H3v11h3.5M10 5l3 3-3 3M13 8H6",
  sun:
    "M8 10.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM8 1.5v1.5M8 13v1.5M1.5 8H3M13 8h1.5M3.4 3.4l1 1M11.6 11.6l1 1M12.6 3.4l-1 1M4.4 11.6l-1 1",
  moon: "M13.5 9.5A5.8 5.8 0 0 1 6.5 2.5a5.8 5.8 0 1 0 7 7z",
  system: "M2 3h12v8H2zM6 14h4M8 11v3",
  fatal: "M5.2 2h5.6L14 5.2v5.6L10.8 14H5.2L2 10.8V5.2zM5.8 5.8l4.4 4.4M10.2 5.8l-4.4 4.4",
  error: "M5.2 2h5.6L14 5.2v5.6L10.8 14H5.2L2 10.8V5.2zM8 4.8v3.7M8 11h.01",
  warning: "M8 2.5l6 11H2zM8 6.5v3.2M8 11.7h.01",
  info: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 7.5V11M8 5h.01",
  ok: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM5.5 8.2l1.8 1.8 3.2-3.6",
  debug:
    "M5 6.5a3 3 0 0 1 6 0V10a3 3 0 0 1-6 0zM5 8H2.5M13.5 8H11M5 5.5L3 4M11 5.5L13 4M5 11l-2 1.5M11 11l2 1.5",
  ignored: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM3.8 3.8l8.4 8.4",
  merge: "M4 2.5v3c0 2.5 4 2.5 4 5v3M12 2.5v3c0 2.5-4 2.5-4 5M5.8 11.3L8 13.5l2.2-2.2",
  regressed: "M13.5 8A5.5 5.5 0 1 1 8 2.5h4M9.5 0.5l2.5 2-2.5 2",
  inbox: "M2.5 9l2-6h7l2 6v4.5h-11zM2.5 9H6l.8 1.8h2.4L10 9h3.5",
} as const;

export type IconName = keyof typeof PATHS;

interface IconProps {
  readonly name: IconName;
  /** Edge in pixels. @default 16 */
  readonly size?: 12 | 14 | 16 | 20 | 32;
  readonly class?: string;
}

/** A decorative outline in the text's colour; the words beside it carry the meaning. */
export function Icon({ name, size = 16, class: extra }: IconProps) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      stroke-width="1.5"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
      class={classes("shrink-0", extra)}
    >
      <path d={PATHS[name]} />
    </svg>
  );
}

/** The mark: a W like the trace of a pulse, and the light of the post above it. */
export function Logo({ size = 24 }: { readonly size?: 20 | 24 | 40 }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" class="shrink-0">
      <rect width="32" height="32" rx="7" class="fill-accent-fill" />
      <path
        d="M6 11l4.5 13L16 14.5 21.5 24 26 11"
        fill="none"
        stroke="#fff"
        stroke-width="2.8"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
      <circle cx="16" cy="8" r="2.4" fill="#ffd166" />
    </svg>
  );
}

/** Joins class names, leaving out what is false, null or empty. */
export function classes(...names: readonly (string | false | null | undefined)[]): string {
  return names.filter((name): name is string => typeof name === "string" && name !== "").join(" ");
}
