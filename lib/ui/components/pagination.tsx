import type { ComponentChildren } from "preact";
import { classes } from "./class_names.ts";
import { Icon, type IconName } from "./icon.tsx";

export interface PaginationProps {
  /** What is shown, as "Showing 1–50 of 1,234". */
  readonly summary?: ComponentChildren;
  /** null on the first page. */
  readonly previousHref: string | null;
  /** null on the last page. */
  readonly nextHref: string | null;
  /** What is paged, for screen readers. @default "Pages" */
  readonly label?: string;
}

/** Newer and older pages of a list that is read by cursor. */
export function Pagination(
  { summary, previousHref, nextHref, label = "Pages" }: PaginationProps,
) {
  return (
    <nav aria-label={label} class="flex items-center justify-between gap-4 px-4 py-2 text-sm">
      <p class="text-muted tabular-nums">{summary}</p>
      <div class="flex gap-1">
        <Step href={previousHref} icon="chevron-left" rel="prev">Previous</Step>
        <Step href={nextHref} icon="chevron-right" rel="next">Next</Step>
      </div>
    </nav>
  );
}

interface StepProps {
  readonly href: string | null;
  readonly icon: IconName;
  readonly rel: "prev" | "next";
  readonly children: string;
}

function Step({ href, icon, rel, children }: StepProps) {
  const look = classes(
    "inline-flex h-7 items-center gap-1 rounded-md border px-2",
    rel === "next" && "flex-row-reverse",
  );
  if (href === null) {
    return (
      <span aria-disabled="true" class={classes(look, "border-line text-faint opacity-60")}>
        <Icon name={icon} size={14} />
        {children}
      </span>
    );
  }
  return (
    <a href={href} rel={rel} class={classes(look, "border-line-strong hover:bg-hover")}>
      <Icon name={icon} size={14} />
      {children}
    </a>
  );
}
