import type { Invite } from "../accounts/invites.ts";
import { Alert } from "../ui/components/alert.tsx";
import { Badge } from "../ui/components/badge.tsx";
import { Button } from "../ui/components/button.tsx";
import { ExactTime } from "../ui/components/exact_time.tsx";
import { DsnField } from "./dsn_list.tsx";
import type { NewInvite } from "./member_form.ts";
import { ROLE_HELP } from "./role_labels.ts";

/** Somebody who has not joined yet: nothing but what was typed is known of them here. */
export function InviteRow({ invite: { email, role, expiresAt } }: { readonly invite: Invite }) {
  return (
    <li class="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line px-4 py-3 last:border-b-0">
      <div class="min-w-40 flex-1">
        <p class="font-medium wrap-anywhere">{email}</p>
        <p class="text-sm text-muted">
          The link holds until <ExactTime date={expiresAt} />.
        </p>
      </div>
      <Badge title={ROLE_HELP[role]}>{role}</Badge>
      <form method="post">
        <input type="hidden" name="email" value={email} />
        <Button name="action" value="withdraw" size="sm" aria-label={`Withdraw ${email}`}>
          Withdraw
        </Button>
      </form>
    </li>
  );
}

export interface NewInviteLinkProps {
  readonly invite: NewInvite;
  /** `config.baseUrl` */
  readonly baseUrl: string;
}

/** The link of an invitation, this once. */
export function NewInviteLink({ invite: { email, token }, baseUrl }: NewInviteLinkProps) {
  return (
    <Alert kind="ok" title={`${email} is invited`} isLive>
      <p class="mb-2">
        Hand over this link in a safe way; it is shown only now. Whoever opens it first, within
        seven days, joins: with the account that they have, or with a new one.
      </p>
      <DsnField id="invite-link" value={`${baseUrl}/join?invite=${token}`} what="invitation" />
    </Alert>
  );
}
