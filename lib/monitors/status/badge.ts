/** Badges: how a monitor or the whole page stands, as a picture for a README and as JSON for shields.io. */
import type { EntryState } from "./days.ts";
import { escape } from "../../core/escape.ts";
import { type Overall, STATE_LABELS, type StatusView } from "./view.ts";

export interface Badge {
  readonly label: string;
  readonly message: string;
  readonly tone: Overall | EntryState;
}

const COLOURS: Readonly<Record<Badge["tone"], { readonly fill: string; readonly name: string }>> = {
  up: { fill: "#2c7a3d", name: "success" },
  degraded: { fill: "#8f6400", name: "yellow" },
  partial: { fill: "#a85400", name: "orange" },
  down: { fill: "#b3261e", name: "critical" },
  maintenance: { fill: "#2456b8", name: "informational" },
  unknown: { fill: "#6b7280", name: "inactive" },
};
const OVERALL_LABELS: Readonly<Record<Overall, string>> = {
  ...STATE_LABELS,
  partial: "Partly down",
};

const MAX_LABEL = 60;

/**
 * The badge of a token.
 *
 * @param token of the page or of a monitor on it; null: of the page
 * @returns null for a token that is none of this page
 */
export function badgeOf({ page, overall, groups }: StatusView, token: string | null): Badge | null {
  if (token === null || token === page.badge) {
    return badge(page.title, OVERALL_LABELS[overall], overall);
  }
  const entry = groups.flatMap(({ entries }) => entries).find(({ badge }) => badge === token);
  return entry === undefined ? null : badge(entry.name, STATE_LABELS[entry.state], entry.state);
}

function badge(label: string, message: string, tone: Badge["tone"]): Badge {
  return { label: [...label].slice(0, MAX_LABEL).join(""), message: message.toLowerCase(), tone };
}

/** https://shields.io/badges/endpoint-badge */
export function shieldsJson({ label, message, tone }: Badge) {
  return { schemaVersion: 1, label, message, color: COLOURS[tone].name };
}

const HEIGHT = 20;
const PADDING = 6;
/** Of 11 px Verdana; the text is fitted into what comes out. */
const CHARACTER = 6.6;
const WIDE_CHARACTER = 11;

/** 20 px high, as badges are. */
export function badgeSvg({ label, message, tone }: Badge): string {
  const left = widthOf(label);
  const right = widthOf(message);
  const width = left + right + 4 * PADDING;
  const edge = left + 2 * PADDING;
  const words = escape(`${label}: ${message}`);
  const text = (x: number, length: number, written: string) =>
    `<text x="${x}" y="14" textLength="${length}">${escape(written)}</text>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${HEIGHT}" role="img"`,
    ` aria-label="${words}"><title>${words}</title>`,
    `<rect width="${edge}" height="${HEIGHT}" fill="#444b55"/>`,
    `<rect x="${edge}" width="${width - edge}" height="${HEIGHT}" fill="${COLOURS[tone].fill}"/>`,
    '<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">',
    text(PADDING, left, label),
    text(edge + PADDING, right, message),
    "</g></svg>",
  ].join("");
}

function widthOf(text: string): number {
  const width = [...text].reduce(
    (sum, character) => sum + (character < "\u2000" ? CHARACTER : WIDE_CHARACTER),
    0,
  );
  return Math.max(1, Math.round(width));
}
