import { formatBytes } from "../../ui/format.ts";
import { asEntries, asObject, asObjects, asText, type JsonObject } from "../../ui/json.ts";
import { MAX_VALUE_LENGTH } from "../../ui/value_table.tsx";
import {
  type Breadcrumb,
  breadcrumbsOf,
  type Exception,
  exceptionsOf,
  type HttpRequest,
  requestOf,
} from "./interfaces.ts";
import { asMinified, sourceMapsOf, type SourceMapsView, type StackForm } from "./source_maps.ts";
import { type Frame, framesOf } from "./stack.ts";
import { type Message, message, t } from "../../core/language/translate.ts";

export interface EventMessage {
  readonly text: string;
  /** The text with its placeholders, when the client sent both; else `""`. */
  readonly template: string;
  readonly parameters: readonly (readonly [name: string, value: unknown])[];
}

export interface Thread {
  readonly id: string;
  readonly name: string;
  readonly isCrashed: boolean;
  readonly isCurrent: boolean;
  readonly state: string;
  /** Newest first. */
  readonly frames: readonly Frame[];
}

export interface Sdk {
  readonly name: string;
  readonly version: string;
  readonly integrations: readonly string[];
  readonly packages: readonly (readonly [name: string, version: string])[];
}

type Entries = readonly (readonly [name: string, value: unknown])[];

/** A stored event as the page shows it; whatever is missing or odd in the payload is simply not there. */
export interface EventView {
  readonly platform: string;
  readonly message: EventMessage | null;
  /** Outermost first. */
  readonly exceptions: readonly Exception[];
  /** A stack that belongs to no exception, newest frame first. */
  readonly stack: readonly Frame[];
  readonly threads: readonly Thread[];
  /** Newest first. */
  readonly breadcrumbs: readonly Breadcrumb[];
  readonly request: HttpRequest | null;
  readonly user: Entries;
  readonly contexts: readonly EventContext[];
  readonly extra: Entries;
  readonly csp: Entries;
  /** By name. */
  readonly modules: readonly (readonly [name: string, version: string])[];
  readonly sdk: Sdk | null;
  /** What the SDK or this server could not make sense of. */
  readonly problems: readonly string[];
  /** What source maps did for it; null where they are of no use. */
  readonly sourceMaps: SourceMapsView | null;
  /** What was filtered out before it was stored, or null. */
  readonly scrubbed: { readonly count: number; readonly fields: readonly string[] } | null;
}

function scrubbedOf(event: JsonObject): EventView["scrubbed"] {
  const note = asObject(event._scrubbed);
  if (note === null || typeof note.count !== "number") return null;
  const fields = Array.isArray(note.fields) ? note.fields.map(asText) : [];
  return { count: note.count, fields };
}

/**
 * Makes the view of a stored payload.
 *
 * @param payload the event's JSON text; anything else than an object gives an empty view
 * @param form of stacks that source maps were applied to
 */
export function viewEvent(payload: string, form: StackForm = "mapped"): EventView {
  const stored = parsePayload(payload);
  const event = form === "minified" ? asMinified(stored) : stored;
  const platform = asText(event.platform);
  return {
    platform,
    message: messageOf(event),
    exceptions: exceptionsOf(event),
    stack: framesOf(event.stacktrace, platform),
    threads: threadsOf(event, platform),
    breadcrumbs: breadcrumbsOf(event),
    request: requestOf(event),
    user: userOf(event),
    contexts: contextsOf(event),
    extra: asEntries(event.extra),
    csp: asEntries(event.csp),
    modules: modulesOf(event),
    sdk: sdkOf(event),
    problems: asObjects(event.errors).filter(isToldHere).map(problemOf),
    sourceMaps: sourceMapsOf(stored),
    scrubbed: scrubbedOf(event),
  };
}

/** The payload as an object; `{}` for a text that is none. */
function parsePayload(payload: string): JsonObject {
  try {
    return asObject(JSON.parse(payload)) ?? {};
  } catch {
    return {};
  }
}

function messageOf(event: JsonObject): EventMessage | null {
  const entry = asObject(event.logentry) ?? asObject(event.message) ??
    { message: event.message };
  const template = asText(entry.message);
  const text = asText(entry.formatted) || template;
  if (text === "") return null;
  return { text, template: template === text ? "" : template, parameters: asEntries(entry.params) };
}

/** The crashed thread first, then those that have a stack; an exception's own stack is not repeated. */
function threadsOf(event: JsonObject, platform: string): Thread[] {
  return asObjects(event.threads).map((raw) => ({
    id: asText(raw.id),
    name: asText(raw.name),
    isCrashed: raw.crashed === true,
    isCurrent: raw.current === true,
    state: asText(raw.state),
    frames: framesOf(raw.stacktrace, platform),
  })).sort((a, b) => weight(b) - weight(a));
}

function weight({ isCrashed, isCurrent, frames }: Thread): number {
  return Number(isCrashed) * 4 + Number(isCurrent) * 2 + Number(frames.length > 0);
}

const USER_FIELDS: readonly (readonly [field: string, label: Message, key: string])[] = [
  ["id", message("ID"), "user.id"],
  ["email", message("Email@@event"), "user.email"],
  ["username", message("Username@@event"), "user.username"],
  ["name", message("Name@@person"), "user.name"],
  ["ip_address", message("IP address"), "user.ip"],
];

/** The key that a line about the user is searched by; null when it is not kept for that. */
export function userKeyOf(label: string): string | null {
  return USER_FIELDS.find(([, each]) => t(each) === label)?.[2] ?? null;
}

function userOf(event: JsonObject): Entries {
  const user = asObject(event.user);
  if (!user) return [];
  const told = new Set(["geo", "data", ...USER_FIELDS.map(([field]) => field)]);
  const geo = asObject(user.geo) ?? {};
  const place = [geo.city, geo.subdivision, geo.region, geo.country_code].map(asText)
    .filter((part, index, all) => part !== "" && all.indexOf(part) === index).join(", ");
  const known = [
    ...USER_FIELDS.map(([field, label]): [string, unknown] => [t(label), user[field]]),
    [t("Place"), place] as const,
  ];
  const others = asEntries(user).filter(([name]) => !told.has(name));
  return [...known, ...asEntries(user.data), ...others].filter(([, value]) => asText(value) !== "");
}

function modulesOf(event: JsonObject): [string, string][] {
  return asEntries(event.modules)
    .map(([name, version]): [string, string] => [name, asText(version)])
    .sort(([a], [b]) => a.localeCompare(b));
}

function sdkOf(event: JsonObject): Sdk | null {
  const raw = asObject(event.sdk);
  if (!raw) return null;
  const sdk = {
    name: asText(raw.name),
    version: asText(raw.version),
    integrations: Array.isArray(raw.integrations) ? raw.integrations.map(asText) : [],
    packages: asObjects(raw.packages)
      .map((one): [string, string] => [asText(one.name), asText(one.version)]),
  };
  return sdk.name === "" && sdk.packages.length === 0 ? null : sdk;
}

/** What source maps could not do is told with the frames. */
function isToldHere({ symbolicator_type: type }: JsonObject): boolean {
  return type === undefined;
}

function problemOf(raw: JsonObject): string {
  return [asText(raw.type), asText(raw.name), asText(raw.value)].filter(Boolean).join(" · ");
}

/** One of an event's contexts: what the SDK knew about the browser, the device, the runtime … */
export interface EventContext {
  readonly key: string;
  readonly title: string;
  readonly entries: readonly (readonly [name: string, value: unknown])[];
}

/** The order in which people look for them; others follow by name. */
const KNOWN: readonly (readonly [key: string, title: Message])[] = [
  ["trace", message("Trace")],
  ["browser", message("Browser")],
  ["client_os", message("Client system")],
  ["os", message("Operating system")],
  ["runtime", message("Runtime")],
  ["device", message("Device@@event")],
  ["app", message("App")],
  ["culture", message("Culture")],
  ["cloud_resource", message("Cloud resource")],
  ["response", message("Response")],
  ["flags", message("Feature flags")],
  ["replay", message("Replay")],
  ["profile", message("Profile")],
  ["gpu", message("Graphics")],
  ["memory_info", message("Memory")],
  ["otel", message("OpenTelemetry")],
];

/** What repeats the context's key, and what is only the SDK's own business. */
const SILENT = new Set(["type", "dynamic_sampling_context"]);
const IN_BYTES = /(?:^|_)(?:memory|storage)(?:_size)?$/;

/** All contexts that say something, the well-known first. */
function contextsOf(event: JsonObject): readonly EventContext[] {
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
  const known = KNOWN.find(([each]) => each === key)?.[1];
  const title = known === undefined ? key : t(known);
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

/**
 * What one page shows of one event. A stored event may hold a megabyte; the page must stay light enough
 * for a phone, and whoever needs the last byte has the raw JSON. Sizes are characters of text.
 */
const ROOM = {
  /** Frames of all stacks together; beyond, the oldest are left out. */
  frames: 400,
  /** Source and variables of all frames together. */
  frameDetails: 70_000,
  exceptions: 20,
  threads: 50,
  breadcrumbs: 100,
  breadcrumbTexts: 40_000,
  extra: 24_000,
  contexts: 24_000,
} as const;

/** The same view with what does not fit on a page left out, and notes in its place. */
export function fitPage(view: EventView): EventView {
  const frames = { left: ROOM.frames, details: ROOM.frameDetails };
  const contexts = { left: ROOM.contexts };
  return {
    ...view,
    exceptions: view.exceptions.slice(0, ROOM.exceptions)
      .map((exception): Exception => ({
        ...exception,
        frames: fitFrames(exception.frames, frames),
      })),
    stack: fitFrames(view.stack, frames),
    threads: view.threads.slice(0, ROOM.threads)
      .map((thread) => ({ ...thread, frames: fitFrames(thread.frames, frames) })),
    breadcrumbs: fitBreadcrumbs(view.breadcrumbs),
    extra: fitEntries(view.extra, { left: ROOM.extra }),
    contexts: view.contexts.map((context) => ({
      ...context,
      entries: fitEntries(context.entries, contexts),
    })),
  };
}

function fitFrames(
  frames: readonly Frame[],
  room: { left: number; details: number },
): readonly Frame[] {
  const kept = frames.slice(0, Math.max(room.left, 1));
  room.left -= kept.length;
  const fitted = kept.map((frame) => {
    const size = detailSize(frame);
    if (size <= room.details) {
      room.details -= size;
      return frame;
    }
    return { ...frame, source: [], variables: [], isCut: true };
  });
  const last = fitted.at(-1);
  const missing = frames.length - kept.length;
  if (last && missing > 0) {
    fitted[fitted.length - 1] = { ...last, omittedBelow: last.omittedBelow + missing };
  }
  return fitted;
}

function detailSize({ source, variables }: Frame): number {
  return source.reduce((sum, { text }) => sum + text.length, 0) +
    variables.reduce((sum, [name, value]) => sum + shownSize(name, value), 0);
}

function fitBreadcrumbs(crumbs: EventView["breadcrumbs"]): EventView["breadcrumbs"] {
  let left = ROOM.breadcrumbTexts;
  return crumbs.slice(0, ROOM.breadcrumbs).map((crumb) => {
    const size = crumb.data.reduce((sum, [name, value]) => sum + shownSize(name, value), 0);
    left -= Math.min(crumb.message.length, MAX_VALUE_LENGTH) + size;
    return left >= 0 ? crumb : { ...crumb, data: [] };
  });
}

function fitEntries(entries: Entries, room: { left: number }): Entries {
  const kept = entries.filter(([name, value]) => (room.left -= shownSize(name, value)) >= 0);
  const missing = entries.length - kept.length;
  return missing === 0 ? kept : [...kept, ["…", t("{n} more in the raw event", { n: missing })]];
}

function shownSize(name: string, value: unknown): number {
  return name.length + Math.min(asText(value).length, MAX_VALUE_LENGTH);
}
