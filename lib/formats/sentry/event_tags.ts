import { asObject, clippedName, readText } from "../fields.ts";
import { TEXT } from "../limits.ts";
import { userKey } from "./user.ts";
import type { NormalizedEvent, Pair } from "./normalized_event.ts";
import { mainException } from "./title.ts";

type Reader = (event: NormalizedEvent) => string | undefined;

/** Tags that come from other fields, so that one search finds both: the names are those that Sentry uses. */
const DERIVED: readonly (readonly [key: string, read: Reader])[] = [
  ["level", (event) => event.level],
  ["environment", (event) => event.environment],
  ["release", (event) => event.release],
  ["dist", (event) => event.dist],
  ["transaction", (event) => event.transaction],
  ["server_name", (event) => event.server_name],
  ["site", (event) => event.site],
  ["logger", (event) => event.logger],
  ["user", (event) => userKey(event.user) ?? undefined],
  ["url", (event) => event.request?.url],
  ["handled", handled],
  ["mechanism", (event) => mainException(event)?.mechanism?.type],
  ["browser", (event) => nameAndVersion(event, "browser")],
  ["browser.name", (event) => contextField(event, "browser", "name")],
  ["os", (event) => nameAndVersion(event, "os")],
  ["os.name", (event) => contextField(event, "os", "name")],
  ["client_os", (event) => nameAndVersion(event, "client_os")],
  ["client_os.name", (event) => contextField(event, "client_os", "name")],
  ["runtime", (event) => nameAndVersion(event, "runtime")],
  ["runtime.name", (event) => contextField(event, "runtime", "name")],
  ["device", (event) => contextField(event, "device", "model")],
  ["user.geo.country_code", (event) => readText(asObject(event.user?.geo)?.country_code)],
];

/**
 * Everything an event can be searched by: the client's tags, then the derived ones. Where both have a name, the
 * client's word holds.
 */
export function searchTags(event: NormalizedEvent): Pair[] {
  const tags = new Map(event.tags);
  for (const [key, read] of DERIVED) {
    if (tags.has(key)) continue;
    const value = clippedName(read(event), TEXT.name);
    if (value) tags.set(key, value);
  }
  return [...tags];
}

/** `no` when anything that happened was not caught by the application. */
function handled(event: NormalizedEvent): string | undefined {
  const main = mainException(event);
  if (!main) return undefined;
  if (event.exception?.values.some(({ mechanism }) => mechanism?.handled === false)) return "no";
  return main.mechanism?.handled === true ? "yes" : undefined;
}

function contextField(event: NormalizedEvent, name: string, field: string): string | undefined {
  return readText(event.contexts?.[name]?.[field]);
}

function nameAndVersion(event: NormalizedEvent, context: string): string | undefined {
  const name = contextField(event, context, "name");
  const version = contextField(event, context, "version");
  return name && version ? `${name} ${version}` : name;
}
