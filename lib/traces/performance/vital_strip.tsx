import { NO_STATS, type Stats } from "../../store/stats/stats.ts";
import { Badge, type Tone } from "../../ui/components/badge.tsx";
import type { IconName } from "../../ui/components/icon.tsx";
import { Panel } from "../../ui/components/panel.tsx";
import { formatExact } from "../../ui/format.ts";
import { type Scope, scopedHref } from "../../ui/scope.ts";
import { sectionPath } from "../../ui/links.ts";
import { formatVital, type Rating, ratingOf, VITALS } from "../vitals/ratings.ts";

const LOOKS: Readonly<Record<Rating, { readonly tone: Tone; readonly icon: IconName }>> = {
  good: { tone: "ok", icon: "ok" },
  "needs improvement": { tone: "warning", icon: "warning" },
  poor: { tone: "danger", icon: "error" },
};

export interface VitalStripProps {
  readonly project: { readonly id: string };
  readonly scope: Scope;
  /** By name of the vital. */
  readonly vitals: ReadonlyMap<string, Stats>;
}

/** The web vitals of all pages: what three of four visits do not exceed, and how good that is. */
export function VitalStrip({ project, scope, vitals }: VitalStripProps) {
  return (
    <Panel
      title="Web Vitals"
      description="Three of four visits are at least this good (p75)."
      actions={
        <a class="link text-sm" href={scopedHref(sectionPath(project.id, "web-vitals"), scope)}>
          By page
        </a>
      }
    >
      <dl class="grid grid-cols-2 gap-4 sm:grid-cols-5">
        {VITALS.map((vital) => {
          const { sketch, count } = vitals.get(vital.name) ?? NO_STATS;
          const value = sketch.quantile(0.75);
          const rating = ratingOf(vital, value);
          return (
            <div key={vital.name} title={`${vital.words}; ${formatExact(count)} measured`}>
              <dt class="text-meta text-muted">{vital.label}</dt>
              <dd class="text-lg font-semibold tabular-nums">{formatVital(vital, value)}</dd>
              <dd>{rating && <Badge {...LOOKS[rating]}>{rating}</Badge>}</dd>
            </div>
          );
        })}
      </dl>
    </Panel>
  );
}
