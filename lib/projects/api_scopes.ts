import { type Permission, PERMISSIONS, type Role, roleAllows } from "../accounts/roles.ts";

/** Our permissions in the words of Sentry's scopes, which its clients look for. */
const SENTRY_SCOPES: Readonly<Record<Permission, readonly string[]>> = {
  "organization:read": ["org:read", "member:read", "team:read"],
  "organization:write": ["org:write", "org:admin"],
  "member:write": ["member:write"],
  "token:write": [],
  "project:read": ["project:read", "event:read"],
  "project:create": ["project:write"],
  "project:write": ["project:write"],
  "project:delete": ["project:admin"],
  "issue:write": ["event:write"],
  "dashboard:write": [],
  "alert:write": ["alerts:write"],
  "key:read": ["project:read"],
  "key:write": ["project:write"],
};

/** Sentry's names for what these permissions allow, each once. */
export function sentryScopes(permissions: readonly Permission[]): string[] {
  return [...new Set(permissions.flatMap((permission) => SENTRY_SCOPES[permission]))];
}

/** Sentry's names for what a role allows. */
export function scopesOf(role: Role): string[] {
  return sentryScopes(PERMISSIONS.filter((permission) => roleAllows(role, permission)));
}
