import type { Member } from "../accounts/members.ts";
import { Avatar } from "../ui/components/avatar.tsx";
import { Badge } from "../ui/components/badge.tsx";
import { Button } from "../ui/components/button.tsx";
import { CONFIRM_FIELD, ConfirmByName } from "../ui/components/confirm_by_name.tsx";
import { type FormErrors, FormSummary } from "../ui/components/form_summary.tsx";
import { Select } from "../ui/components/select.tsx";
import { ROLE_HELP, ROLE_OPTIONS } from "./role_labels.ts";

export interface MemberRowProps {
  readonly member: Member;
  /** It is the person who looks at the page. */
  readonly isSelf: boolean;
  readonly mayWrite: boolean;
  /** What was wrong with the form sent for this member. */
  readonly errors: FormErrors;
}

/** One member: who, in which role, and what can be changed. */
export function MemberRow({ member, isSelf, mayWrite, errors }: MemberRowProps) {
  const { user, role } = member;
  const { [CONFIRM_FIELD]: confirmError, ...roleErrors } = errors;
  return (
    <li class="border-b border-line px-4 py-3 last:border-b-0">
      <div class="flex flex-wrap items-center gap-x-4 gap-y-2">
        <Avatar name={user.name} size={32} />
        <div class="min-w-40 flex-1">
          <p class="font-medium wrap-anywhere">
            {user.name} {isSelf && <Badge>you</Badge>}
          </p>
          <p class="text-sm text-muted wrap-anywhere">{user.email}</p>
        </div>
        {mayWrite ? <RoleForm member={member} /> : <Badge title={ROLE_HELP[role]}>{role}</Badge>}
      </div>
      {Object.keys(roleErrors).length > 0 && (
        <div class="mt-2">
          <FormSummary errors={roleErrors} idPrefix={`${user.id}-`} />
        </div>
      )}
      {(mayWrite || isSelf) && (
        <div class="mt-2 sm:pl-12">
          <ConfirmByName
            name={user.email}
            action={isSelf ? "Leave the organization" : "Remove"}
            size="sm"
            idPrefix={`${user.id}-`}
            fields={{ action: "remove", user: user.id }}
            error={confirmError}
            consequence={isSelf
              ? "You lose sight of all its projects at once. Somebody else has to invite you again."
              : `${user.name} loses sight of all projects of this organization at once. The account stays.`}
          />
        </div>
      )}
    </li>
  );
}

function RoleForm({ member: { user, role } }: { readonly member: Member }) {
  return (
    <form method="post" class="flex items-center gap-2">
      <input type="hidden" name="user" value={user.id} />
      <Select
        name="role"
        idPrefix={`${user.id}-`}
        size="sm"
        aria-label={`Role of ${user.name}`}
        value={role}
        options={ROLE_OPTIONS}
      />
      <Button name="action" value="role" size="sm">Save</Button>
    </form>
  );
}
