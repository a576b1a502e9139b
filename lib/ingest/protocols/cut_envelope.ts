import { joinBytes } from "../../core/join_bytes.ts";
import type { WholePart } from "../receive.ts";
import { firstFrameAt, type Frame, framesIn } from "../../formats/sentry/envelope.ts";
import { readInteger, readText } from "../../formats/fields.ts";
import { categoryOf } from "../../formats/sentry/item_types.ts";

/** Items whose payload is `{"items": […]}`, of which the elements before a cut are whole. */
const CONTAINERS = new Set(["log", "span", "trace_metric"]);
/** More elements than this in one item are a lie that would spoil the counts. */
const MAX_ELEMENTS = 10_000;

const encoder = new TextEncoder();

/**
 * Tells what is whole of an envelope that was cut off: the items before the cut and, of a container of logs, spans or
 * metrics that is cut itself, the elements before it.
 *
 * @param start the first bytes of an envelope
 */
export function wholeItems(start: Uint8Array): WholePart | null {
  const first = firstFrameAt(start);
  let whole = 0;
  for (const frame of framesIn(start, first)) {
    if (isWhole(frame, start.length)) whole++;
    else return beforeCut(start, frame, whole);
  }
  // Cut between two items, or broken: nobody knows what followed.
  if (whole === 0) return null;
  return { bytes: start, lost: { category: "unknown", quantity: 1 } };
}

/** A payload of a known length may be the last of what is there; one that ends at a newline may not. */
function isWhole({ header, payload, payloadAt }: Frame, end: number): boolean {
  if (!header || !payload) return false;
  const length = readInteger(header.length);
  return length === undefined ? payload.next <= end : payloadAt + length <= end;
}

function beforeCut(
  start: Uint8Array,
  { at, header, payloadAt }: Frame,
  whole: number,
): WholePart | null {
  const type = readText(header?.type) ?? "";
  const sent = Math.min(Math.max(readInteger(header?.item_count) ?? 1, 1), MAX_ELEMENTS);
  const elements = CONTAINERS.has(type) ? wholeElements(start.subarray(payloadAt)) : null;
  const kept = elements?.count ?? 0;
  if (whole + kept === 0) return null;
  const lost = { category: categoryOf(type), quantity: Math.max(sent - kept, 1) };
  const before = start.subarray(0, at);
  if (elements === null || kept === 0) return { bytes: before, lost };
  const { length: _, ...rest } = header ?? {};
  const line = encoder.encode(`${JSON.stringify({ ...rest, item_count: kept })}\n`);
  return { bytes: joinBytes([before, line, elements.payload]), lost };
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
/** Of the elements of a list that stands in the payload's object. */
const IN_LIST = 2;

/** The elements that are whole of a container's JSON, closed behind the last of them; null when there are none. */
function wholeElements(json: Uint8Array): { payload: Uint8Array; count: number } | null {
  let depth = 0;
  let count = 0;
  let end = 0;
  let isText = false;
  for (let i = 0; i < json.length; i++) {
    const byte = json[i];
    if (isText) {
      if (byte === BACKSLASH) i++;
      else if (byte === QUOTE) isText = false;
    } else if (byte === QUOTE) isText = true;
    else if (byte === OPEN_BRACE) depth++;
    else if (byte === OPEN_BRACKET) {
      // A list beside that of the elements, such as there may be before it.
      if (++depth === IN_LIST) count = 0;
    } else if (byte === CLOSE_BRACKET) depth--;
    else if (byte === CLOSE_BRACE && --depth === IN_LIST) {
      count++;
      end = i + 1;
    }
  }
  if (count === 0) return null;
  return { payload: joinBytes([json.subarray(0, end), encoder.encode("]}")]), count };
}
