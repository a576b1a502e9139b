import type { Permission } from "../accounts/roles.ts";

/** What a scope of an API token lets it do. */
export const PERMISSION_LABELS: Readonly<Record<Permission, string>> = {
  "organization:read": "See the organization and its members",
  "organization:write": "Change the organization",
  "member:write": "Add, change and remove members",
  "token:write": "Create and delete API tokens",
  "project:read": "Read projects, issues and events",
  "project:create": "Create projects",
  "project:write": "Change projects",
  "project:delete": "Delete projects",
  "issue:write": "Resolve and ignore issues",
  "dashboard:write": "Make and change dashboards",
  "alert:write": "Make, change and mute alerts",
  "key:read": "See DSNs",
  "key:write": "Create, disable and delete keys",
};
