import { Alert } from "../components/alert.tsx";
import { formatPercent } from "../format.ts";

/** A quota that is nearly or wholly used up. */
export interface QuotaWarning {
  readonly organization: { readonly slug: string; readonly name: string };
  /** Used part of the quota, 0.8 and more. */
  readonly share: number;
}

/** From this part of the quota on there is a warning. */
export const WARN_FROM = 0.8;

/** Says on every page that a quota ends soon, or has ended, and what to do. */
export function QuotaBanner({ organization, share }: QuotaWarning) {
  const isOver = share >= 1;
  const usage = `/organizations/${encodeURIComponent(organization.slug)}/settings/usage`;
  return (
    <Alert
      kind={isOver ? "danger" : "warning"}
      class="mb-4"
      title={isOver
        ? `${organization.name} has used up its quota of the month`
        : `${organization.name} has used ${formatPercent(share)} of its quota of the month`}
    >
      {isOver
        ? "Whatever is sent is refused with 429 until the next month begins (UTC). "
        : "When it is used up, whatever is sent is refused with 429. "}
      An instance administrator can raise it. <a class="link" href={usage}>See the usage</a>
    </Alert>
  );
}
