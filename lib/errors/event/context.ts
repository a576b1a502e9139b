import { formatBytes } from "../../ui/format.ts";
import { asEntries, asObject, asText, type JsonObject } from "../../ui/read.ts";

/** One of an event's contexts: what the SDK knew about the browser, the device, the runtime … */
export interface EventContext {
  readonly key: string;
  readonly title: string;
  readonly entries: readonly (readonly [name: string, value: unknown])[];
}

/** The order in which people look for them; others follow by name. */
const KNOWN: readonly (readonly [key: string, title: string])[] = [
  ["trace", "Trace"],
  ["browser", "Browser"],
  ["client_os", "Client system"],
  ["os", "Operating system"],
  ["runtime", "Runtime"],
  ["device", "Device"],
  ["app", "App"],
  ["culture", "Culture"],
  ["cloud_resource", "Cloud resource"],
  ["response", "Response"],
  ["flags", "Feature flags"],
  ["replay", "Replay"],
  ["profile", "Profile"],
  ["gpu", "Graphics"],
  ["memory_info", "Memory"],
  ["otel", "OpenTelemetry"],
];

/** What repeats the context's key, and what is only the SDK's own business. */
const SILENT = new Set(["type", "dynamic_sampling_context"]);
const IN_BYTES = /(?:^|_)(?:memory|storage)(?:_size)?$/;

/** All contexts that say something, the well-known first. */
export function contextsOf(event: JsonObject): readonly EventContext[] {
  const contexts = asEntries(event.contexts);
  const rank = (key: string) => {
    const index = KNOWN.findIndex(([known]) => known === key);
    return index === -1 ? KNOWN.length : index;
  };
  return contexts
    .map(([key, value]) => contextOf(key, value))
    .filter(({ entries }) => entries.length > 0)
    .sort((a, b) => rank(a.key) - rank(b.key) || a.key.localeCompare(b.key));
}

function contextOf(key: string, value: unknown): EventContext {
  const object = asObject(value) ?? { value };
  const title = KNOWN.find(([known]) => known === key)?.[1] ?? key;
  if (key === "flags") return { key, title, entries: flagsOf(object) };
  return {
    key,
    title,
    entries: asEntries(object)
      .filter(([name, one]) => !SILENT.has(name) && asText(one).trim() !== "")
      .map(([name, one]): [string, unknown] => [name, withUnit(name, one)]),
  };
}

/** Sizes in bytes read as `15.7 GiB`. */
function withUnit(name: string, value: unknown): unknown {
  return typeof value === "number" && IN_BYTES.test(name) ? formatBytes(value) : value;
}

/** Feature flags come as `{values: [{flag, result}]}`: shown as name and value like everything else. */
function flagsOf(context: JsonObject): [string, unknown][] {
  const values = Array.isArray(context.values) ? context.values : [];
  return values.map(asObject).filter((one) => one !== null)
    .map((one): [string, unknown] => [asText(one.flag), one.result])
    .filter(([flag]) => flag !== "");
}
