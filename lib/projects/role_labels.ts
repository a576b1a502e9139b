import { type Role, ROLES } from "../accounts/roles.ts";
import type { Option } from "../ui/components/select.tsx";

/** What each role may do, in a sentence. */
export const ROLE_HELP: Readonly<Record<Role, string>> = {
  viewer: "Looks at everything, changes nothing.",
  member: "Works on issues, sees DSNs, has API tokens.",
  admin: "Also creates projects and keys, and decides about members.",
  owner: "Also decides about owners and the organization itself.",
};

/** The roles to choose from, weakest first. */
export const ROLE_OPTIONS: readonly Option[] = ROLES.map((role) => ({
  value: role,
  label: role.charAt(0).toUpperCase() + role.slice(1),
}));
