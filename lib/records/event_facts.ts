/** What events are found by beside their tags: keys that their page shows, under the names that Sentry searches by. */

/** Fields of contexts, each searched for as `<context>.<field>`; ids, clocks and amounts of memory find nothing that helps. */
export const CONTEXT_FACTS: Readonly<Record<string, readonly string[]>> = {
  app: ["app_name", "app_version", "app_build", "app_identifier"],
  browser: ["name", "version"],
  client_os: ["name", "version"],
  cloud_resource: ["cloud.provider", "cloud.platform", "cloud.region"],
  culture: ["locale", "timezone"],
  device: ["name", "family", "model", "brand", "arch"],
  gpu: ["name", "vendor_name"],
  os: ["name", "version", "build", "kernel_version"],
  response: ["status_code"],
  runtime: ["name", "version"],
};

/** Fields of the user, by the kind of user key that they make. */
export const USER_FACTS = {
  id: "id",
  username: "username",
  email: "email",
  ip: "ip_address",
} as const;

/** The key that a field of a context is searched by; null when it is not kept for that. */
export function contextKey(context: string, field: string): string | null {
  const fields = Object.hasOwn(CONTEXT_FACTS, context) ? CONTEXT_FACTS[context] : undefined;
  return fields?.includes(field) ? `${context}.${field}` : null;
}

const OTHER_FACTS: ReadonlySet<string> = new Set(["http.method", "user.name"]);

/** Whether issues are found by a key, while their events do not carry it as a tag. */
export function isFactKey(key: string): boolean {
  const [context = "", ...field] = key.split(".");
  return OTHER_FACTS.has(key) || contextKey(context, field.join(".")) !== null;
}
