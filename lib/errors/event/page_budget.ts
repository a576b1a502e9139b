import type { Exception } from "./interfaces.ts";
import type { EventView } from "./view.ts";
import { asText } from "../../ui/json.ts";
import type { Frame } from "./stack.ts";

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

/** The longest text of one value; the component says how much is left out. */
export const MAX_VALUE_LENGTH = 2_000;

type Entries = readonly (readonly [name: string, value: unknown])[];

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
  return missing === 0 ? kept : [...kept, ["…", `${missing} more in the raw event`]];
}

function shownSize(name: string, value: unknown): number {
  return name.length + Math.min(asText(value).length, MAX_VALUE_LENGTH);
}
