import type { ComponentChildren } from "preact";
import { Badge, type Tone } from "../../ui/components/badge.tsx";
import { Icon, type IconName } from "../../ui/components/icon.tsx";
import type { Rating } from "./ratings.ts";

const LOOKS: Readonly<
  Record<Rating, { readonly tone: Tone; readonly ink: string; readonly icon: IconName }>
> = {
  good: { tone: "ok", ink: "text-ok", icon: "ok" },
  "needs improvement": { tone: "warning", ink: "text-warning", icon: "warning" },
  poor: { tone: "danger", ink: "text-danger", icon: "error" },
};

/** A rating as a word with its shape; nothing for null. */
export function RatingBadge({ rating }: { readonly rating: Rating | null }) {
  if (rating === null) return null;
  const { tone, icon } = LOOKS[rating];
  return <Badge tone={tone} icon={icon}>{rating}</Badge>;
}

export interface RatedProps {
  readonly rating: Rating | null;
  /** Shown on hover. */
  readonly title?: string;
  /** The value. */
  readonly children: ComponentChildren;
}

/** A value with its rating below, for tables. */
export function Rated({ rating, title, children }: RatedProps) {
  if (rating === null) return <span class="text-muted" title={title}>{children}</span>;
  const { ink, icon } = LOOKS[rating];
  return (
    <span class="block" title={title}>
      {children}
      <span class={`flex items-center justify-end gap-0.5 text-meta ${ink}`}>
        <Icon name={icon} size={12} />
        {rating}
      </span>
    </span>
  );
}
