/** Which frames of an event may have other places in a source, and in which file each is. */
import type {
  Exception,
  Frame,
  NormalizedEvent,
  Stacktrace,
  Thread,
} from "../../formats/sentry/normalized_event.ts";
import { normalDebugId } from "../artifacts/debug_ids.ts";
import { proguardIds } from "../proguard/deobfuscate.ts";
import type { MissingMap } from "./missing_maps.ts";

/** What carries a stack: an exception, a thread, or the event itself. */
export type StackHolder = Pick<Exception | Thread, "stacktrace" | "raw_stacktrace">;

/** A generated file that frames of an event are in. */
export interface GeneratedFile {
  /** As frames have it, without `async `. */
  readonly path: string;
  /** 32 lower-case hex digits, or null. */
  readonly debugId: string | null;
}

const SCRIPT_PLATFORMS = new Set(["javascript", "node"]);
/** `/srv/app.js`, `C:\app.js`, `app:///main.js`, `webpack://…`; anything else of Node is built in. */
const NODE_FILE = /^(?:(?:app|webpack|file|[a-zA-Z]):|\/)/;
const NATIVE = /^(?:native$|\[native code\]$|<anonymous>$|node:|internal\/)/;

/** Whether an event may need source maps or ProGuard mappings; a glance, since every event is asked. */
export function mayNeedMaps(event: NormalizedEvent): boolean {
  return mayNeedSourceMaps(event) || proguardIds(event).length > 0;
}

/** Whether an event may have frames of scripts. */
export function mayNeedSourceMaps({ platform, debug_meta: meta }: NormalizedEvent): boolean {
  return SCRIPT_PLATFORMS.has(platform) || meta?.images?.some(isSourceMap) === true;
}

function isSourceMap({ type }: { readonly type?: unknown }): boolean {
  return type === "sourcemap";
}

/** All stacks of an event with what carries them. */
export function stackHolders(event: NormalizedEvent): StackHolder[] {
  const holders: StackHolder[] = [
    ...event.exception?.values ?? [],
    ...event.threads?.values ?? [],
    event as StackHolder,
  ];
  return holders.filter(({ stacktrace }) => stacktrace !== undefined);
}

/** The stack as the client sent it: mapping again begins there. */
export function sentStack(
  { stacktrace, raw_stacktrace: raw }: StackHolder,
): Stacktrace | undefined {
  return raw ?? stacktrace;
}

/** Debug ids of an event's files by path, as `debug_meta` tells. */
export function debugIdsOf({ debug_meta: meta }: NormalizedEvent): ReadonlyMap<string, string> {
  const ids = new Map<string, string>();
  for (const { type, code_file: file, debug_id: id, uuid } of meta?.images ?? []) {
    const known = normalDebugId(String(id ?? uuid ?? ""));
    if (type === "sourcemap" && typeof file === "string" && known !== null) ids.set(file, known);
  }
  return ids;
}

/** The generated file that a frame is in; null where there can be no map. */
export function fileOf(
  frame: Frame,
  { platform }: Pick<NormalizedEvent, "platform">,
  debugIds: ReadonlyMap<string, string>,
): GeneratedFile | null {
  const path = pathOf(frame);
  if (path === "" || !frame.lineno || NATIVE.test(path) || isMapped(frame)) return null;
  if (isNodeBuiltin(frame, platform) || (frame.platform ?? platform) === "java") return null;
  const own = normalDebugId(String((frame as { debug_id?: unknown }).debug_id ?? ""));
  const debugId = debugIds.get(path) ?? debugIds.get(frame.filename ?? "") ??
    debugIds.get(`file://${path}`) ?? own;
  return { path, debugId };
}

/** A client may have done it itself. */
function isMapped({ data }: Frame): boolean {
  return typeof data?.sourcemap === "string" && data.sourcemap !== "";
}

function pathOf({ abs_path: path, filename }: Frame): string {
  return (path ?? filename ?? "").replace(/^async /, "");
}

/** A module of Node itself, such as `node:events` or `internal/process/task_queues.js`. */
export function isNodeBuiltin(frame: Frame, platform: string): boolean {
  const path = pathOf(frame);
  return (frame.platform ?? platform) === "node" && path !== "" && !NODE_FILE.test(path);
}

/** Where a frame is in its file, from 0. A missing column is the first. */
export function positionOf({ lineno = 1, colno = 0 }: Frame) {
  return { line: lineno - 1, column: Math.max(colno - 1, 0) };
}

/** What would find the maps of an event's files, each once: of those that have none, which the caller knows. */
export function missingMapsOf(event: NormalizedEvent): MissingMap[] {
  const { release = "", dist = "" } = event;
  const debugIds = debugIdsOf(event);
  const found = new Map<string, MissingMap>(
    proguardIds(event).map((debugId) => [debugId, { debugId, release, dist }]),
  );
  for (const holder of stackHolders(event)) {
    for (const frame of sentStack(holder)?.frames ?? []) {
      // Without ids one file tells as much as all of them.
      if (debugIds.size === 0 && found.has("") && !("debug_id" in frame)) continue;
      const file = fileOf(frame, event, debugIds);
      if (file === null) continue;
      const debugId = file.debugId ?? "";
      found.set(debugId, { debugId, release, dist });
    }
  }
  return [...found.values()];
}
