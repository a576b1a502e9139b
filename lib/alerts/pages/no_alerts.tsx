import { Icon, type IconName } from "../../ui/components/icon.tsx";
import { EmptyState } from "../../ui/components/empty_state.tsx";
import { FIELDS } from "./form_params.ts";
import { newAlertPath } from "../../ui/paths.ts";

interface Beginning {
  readonly icon: IconName;
  readonly label: string;
  readonly help: string;
  readonly params: readonly (readonly [name: string, value: string])[];
}

/** What most projects want first. */
const BEGINNINGS: readonly Beginning[] = [
  {
    icon: "transactions",
    label: "A slow transaction",
    help: "The p95 of one transaction, or of all, above a duration.",
    params: [
      [FIELDS.source, "transactions"],
      [FIELDS.transactionMeasure, "p95"],
      [FIELDS.critical, "1 s"],
    ],
  },
  {
    icon: "issues",
    label: "Many errors",
    help: "More errors within minutes than you want to sleep through.",
    params: [
      [FIELDS.source, "errors"],
      [FIELDS.errorMeasure, "events"],
      [FIELDS.critical, "100"],
    ],
  },
  {
    icon: "metrics",
    label: "A metric",
    help: "Any query: memory of a host, length of a queue, requests per second.",
    params: [[FIELDS.source, "metric"]],
  },
];

export interface NoAlertsProps {
  readonly projectId: string;
  readonly mayWrite: boolean;
}

/** What alerts are, and three to begin with. */
export function NoAlerts({ projectId, mayWrite }: NoAlertsProps) {
  return (
    <EmptyState icon="alerts" title="No alerts yet">
      <p>
        An alert looks at a number twice a minute, and tells your channels when it crosses a level
        and when it is back.
      </p>
      {mayWrite
        ? (
          <ul class="mt-4 grid gap-2 text-left md:grid-cols-3">
            {BEGINNINGS.map(({ icon, label, help, params }) => (
              <li key={label}>
                <a
                  href={newAlertPath(
                    projectId,
                    new URLSearchParams(params.map(([...pair]) => pair)),
                  )}
                  class="flex h-full items-start gap-2.5 rounded-md border border-line-strong px-3 py-2 hover:bg-hover"
                >
                  <Icon name={icon} class="mt-[3px] text-muted" />
                  <span class="min-w-0">
                    <span class="block font-medium text-ink">{label}</span>
                    <span class="block text-sm">{help}</span>
                  </span>
                </a>
              </li>
            ))}
          </ul>
        )
        : <p class="mt-2">Members of the organization can make them.</p>}
    </EmptyState>
  );
}
