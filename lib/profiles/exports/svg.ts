import { formatProfileShare, formatProfileValue } from "../../core/value_units.ts";
import type { FlameData } from "../../ui/flamegraph/flame_tree.ts";
import { flamePayload } from "../trees/flame_payload.ts";
import { packageOf } from "../../ui/flamegraph/frames.ts";
import type { CallTree, DiffTree, Frame } from "../trees/stacks.ts";

const WIDTH = 1200;
const ROW = 18;
const HEADER = 40;
const MARGIN = 8;
/** Narrower boxes are left out. */
const MIN_BOX = 0.5;
/** Of the font below. */
const CHARACTER = 6.6;
const STYLE = "text{font:11px ui-monospace,Menlo,Consolas,monospace;fill:#111}" +
  "rect{stroke:#fff;stroke-width:.5}.t{font-size:14px;font-weight:600}" +
  "@media(prefers-color-scheme:dark){svg{background:#16181d}.t,.s{fill:#eee}}";

interface Box {
  readonly node: number;
  readonly x: number;
  readonly width: number;
}

/**
 * A flame graph as a picture: the root on top, no scripts, values on hovering. In a comparison the width of a box is
 * what both sides have, and its colour whether it became more (orange) or less (blue).
 *
 * @param title stands above it, as plain text
 */
export function toSvg(tree: CallTree | DiffTree, title: string): string {
  const data = flamePayload(tree, { minShare: MIN_BOX / (WIDTH - 2 * MARGIN) });
  const boxes = boxesOf(data);
  const levels = 1 + data.depths.reduce((most, depth) => Math.max(most, depth), 0);
  const height = HEADER + levels * ROW + MARGIN;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" ` +
    `viewBox="0 0 ${WIDTH} ${height}" role="img"><title>${escaped(title)}</title>`,
    `<style>${STYLE}</style>`,
    `<text class="t" x="${MARGIN}" y="18">${escaped(title)}</text>`,
    `<text class="s" x="${MARGIN}" y="34">${escaped(subtitle(data))}</text>`,
    ...boxes.map((box) => drawn(data, box)),
    "</svg>\n",
  ].join("\n");
}

function subtitle(data: FlameData): string {
  const total = formatProfileValue(data.totals[0] ?? 0, data.type.unit);
  return `${data.type.type}: ${total}${data.base ? ` against ${baseTotal(data, 0)}` : ""}`;
}

function boxesOf(data: FlameData): Box[] {
  const widths = widthsOf(data);
  const scale = (WIDTH - 2 * MARGIN) / (widths[0] || 1);
  /** Where the next box of each level begins. */
  const nexts: number[] = [MARGIN];
  return widths.flatMap((value, node) => {
    const depth = data.depths[node] as number;
    const x = nexts[depth] ?? MARGIN;
    const width = value * scale;
    nexts[depth] = x + width;
    nexts[depth + 1] = x;
    return width < MIN_BOX && node > 0 ? [] : [{ node, x, width }];
  });
}

/** Totals of both sides; where values are negative, as much as what stands below needs. */
function widthsOf({ depths, totals, base }: FlameData): number[] {
  const widths: number[] = new Array(totals.length);
  /** Widths of the children of the next node of each level. */
  const inside: number[] = [];
  for (let node = totals.length - 1; node >= 0; node--) {
    const depth = depths[node] as number;
    const total = Math.abs(totals[node] ?? 0) + Math.abs(base?.totals[node] ?? 0);
    const width = Math.max(total, inside[depth + 1] ?? 0);
    inside[depth + 1] = 0;
    inside[depth] = (inside[depth] ?? 0) + width;
    widths[node] = width;
  }
  return widths;
}

function drawn(data: FlameData, { node, x, width }: Box): string {
  const frame = frameOf(data, data.nodeFrames[node] as number);
  const y = HEADER + (data.depths[node] as number) * ROW;
  const room = Math.floor((width - 6) / CHARACTER);
  const label = fitted(frame.name, room);
  return `<g><title>${escaped(tooltip(data, node, frame))}</title>` +
    `<rect x="${x.toFixed(2)}" y="${y}" width="${width.toFixed(2)}" height="${ROW - 1}" rx="1" ` +
    `fill="${colourOf(data, node, frame)}"/>` +
    (label === "" ? "" : `<text x="${(x + 3).toFixed(2)}" y="${y + 12}">${escaped(label)}</text>`) +
    "</g>";
}

function tooltip(data: FlameData, node: number, { name, file, line }: Frame): string {
  const total = data.totals[node] ?? 0;
  const self = data.selfs[node] ?? 0;
  const { unit } = data.type;
  const place = file === "" ? "" : ` (${file}${line > 0 ? `:${line}` : ""})`;
  const share = formatProfileShare(total, data.totals[0] ?? 0);
  return `${name}${place}\n${formatProfileValue(total, unit)}, ${share}` +
    `; itself ${formatProfileValue(self, unit)}` +
    (data.base ? `; before ${baseTotal(data, node)}` : "");
}

function baseTotal(data: FlameData, node: number): string {
  return formatProfileValue(data.base?.totals[node] ?? 0, data.type.unit);
}

/** One hue for a package, pale for libraries; all light enough for black text. */
function colourOf(data: FlameData, node: number, frame: Frame): string {
  if (node === 0) return "#d4d4d8";
  if (data.base) return changeColour(data.base.totals[node] ?? 0, data.totals[node] ?? 0);
  const owner = packageOf(frame);
  if (owner === "" || owner.startsWith("[")) return "#cfd2d8";
  let hash = 0;
  for (let at = 0; at < owner.length; at++) {
    hash = Math.imul(hash ^ owner.charCodeAt(at), 0x9e3779b1);
  }
  return `hsl(${(hash >>> 0) % 360} ${frame.isInApp === false ? 30 : 65}% 78%)`;
}

function changeColour(before: number, after: number): string {
  const both = Math.abs(before) + Math.abs(after);
  const change = both === 0 ? 0 : (after - before) / both;
  if (Math.abs(change) < 0.01) return "#dcdde1";
  return `hsl(${change > 0 ? 28 : 210} 85% ${
    (88 - 24 * Math.min(1, Math.abs(change))).toFixed(0)
  }%)`;
}

function frameOf({ frames }: FlameData, place: number): Frame {
  const isOwn = frames.isInApp[place];
  return {
    name: frames.names[place] ?? "",
    file: frames.files[frames.fileOf[place] ?? 0] ?? "",
    module: frames.modules[frames.moduleOf[place] ?? 0] ?? "",
    line: frames.lines[place] ?? 0,
    isInApp: isOwn === 2 || isOwn === undefined ? null : isOwn === 1,
  };
}

/** The name, without the path of its package where that is too long, else cut. */
function fitted(name: string, room: number): string {
  if (room < 3) return "";
  if (name.length <= room) return name;
  const head = /^[^\s(<[]*/.exec(name)?.[0] ?? "";
  const short = name.slice(head.lastIndexOf("/") + 1);
  if (short.length <= room) return short;
  return [...short.slice(0, 2 * room)].slice(0, room - 1).join("") + "…";
}

/** Control characters, which XML advises against where it has them at all, and what else it does not allow. */
const NO_XML = /(?![\t\n\r])\p{Cc}|[\ufffe\uffff]/gu;

/** For text and attributes; what XML does not allow becomes U+FFFD. */
function escaped(text: string): string {
  return text.toWellFormed()
    .replace(NO_XML, "\ufffd")
    .replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
