import { Alert } from "../ui/components/alert.tsx";
import { formatExact, formatPercent } from "../ui/format.ts";

/** A quota that is nearly or wholly used up. */
export interface QuotaWarning {
  readonly organization: { readonly slug: string; readonly name: string };
  /** Requests of the month, what instances hold in hand for the next seconds included. */
  readonly used: number;
  readonly quota: number;
}

/** From this part of a quota on there is a warning. */
export const WARN_FROM = 0.8;

export interface QuotaBannerProps extends QuotaWarning {
  /** The person who reads it can raise the quota. */
  readonly mayRaise: boolean;
}

/** Says on every page of an organization that its quota ends soon, or has ended, and what to do. */
export function QuotaBanner({ organization, used, quota, mayRaise }: QuotaBannerProps) {
  const isOver = used >= quota;
  const usage = `/organizations/${encodeURIComponent(organization.slug)}/settings/usage`;
  const figures = `${formatExact(used)} of ${formatExact(quota)} requests`;
  return (
    <Alert
      kind={isOver ? "danger" : "warning"}
      class="mb-4"
      title={isOver
        ? `${organization.name} has used up its quota of the month`
        : `${organization.name} has used ${formatPercent(used / quota)} of its quota of the month`}
    >
      {figures}. {isOver
        ? "Whatever is sent is refused with 429 and lost until the next month begins (UTC). "
        : "When it is used up, whatever is sent is refused with 429 and lost until the month ends. "}
      {mayRaise
        ? <a class="link" href="/instance#organizations">Raise the quota</a>
        : "An administrator of this instance can raise it"} ·{" "}
      <a class="link" href={usage}>
        See the usage
      </a>
    </Alert>
  );
}
