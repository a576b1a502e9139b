import type { ApiToken } from "../accounts/api_tokens.ts";
import { Badge } from "../ui/components/badge.tsx";
import { ConfirmByName } from "../ui/components/confirm_by_name.tsx";
import { RelativeTime } from "../ui/components/relative_time.tsx";
import { PERMISSION_LABELS } from "./permission_labels.ts";

export interface TokenRowProps {
  readonly token: ApiToken & { readonly owner: string };
  /** What was wrong with the confirmation of its deletion. */
  readonly error?: string | undefined;
}

/** One API token: whose, for what, when it was used. */
export function TokenRow({ token, error }: TokenRowProps) {
  return (
    <li class="border-b border-line px-4 py-3 last:border-b-0">
      <p class="font-medium wrap-anywhere">{token.name}</p>
      <p class="text-sm text-muted">
        Acts for {token.owner} · created <RelativeTime date={token.createdAt} /> · {token.lastUsedAt
          ? (
            <>
              used <RelativeTime date={token.lastUsedAt} />
            </>
          )
          : "never used"}
      </p>
      <p class="mt-1 flex flex-wrap gap-1">
        {token.scopes.map((scope) => (
          <Badge key={scope} title={PERMISSION_LABELS[scope]}>{scope}</Badge>
        ))}
      </p>
      <div class="mt-2">
        <ConfirmByName
          name={token.name}
          action="Delete token"
          size="sm"
          idPrefix={`${token.id}-`}
          fields={{ action: "delete", token: token.id }}
          error={error}
          consequence="Programs that use it are refused from the next request on, for good."
        />
      </div>
    </li>
  );
}
