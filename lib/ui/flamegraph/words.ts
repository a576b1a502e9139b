import { t } from "../../core/language/translate.ts";
import { formatProfileValue } from "../../core/value_units.ts";
import { formatCount, formatPercent, NONE, withDecimalMark } from "../format.ts";
import type { FlameTree } from "./flame_tree.ts";
import { fitted, moduleOf, nameOf, placeOf } from "./frames.ts";

/** What the two sides of a comparison are called. */
export interface SideNames {
  readonly before: string;
  readonly after: string;
}

/** What would be written as nothing. */
const LEAST_SHARE = 0.0005;

export const SIDE_NAMES: SideNames = { before: "before", after: "after" };

/** All that is said of a box. */
export interface BoxFacts {
  readonly name: string;
  /** `file:line`, or `""`. */
  readonly place: string;
  /** Module, package or binary, or `""`. */
  readonly module: string;
  readonly figures: readonly Figure[];
  /** Nodes below it that are not here, being too small. */
  readonly cut: number;
}

/** A line of figures, as `Total`, `1.20s`, `40.0% of the view, 12.0% of all`. */
export interface Figure {
  readonly label: string;
  readonly value: string;
  readonly shares: string;
}

/** Says all of a box: values in their unit, shares of the box that is zoomed to and of everything. */
export function factsOf(
  tree: FlameTree,
  node: number,
  zoomed: number,
  sides: SideNames = SIDE_NAMES,
): BoxFacts {
  const frame = tree.nodeFrames[node] ?? 0;
  return {
    name: nameOf(tree.frames, frame),
    place: placeOf(tree.frames, frame),
    module: moduleOf(tree.frames, frame),
    figures: tree.base === null
      ? plainFigures(tree, node, zoomed)
      : changeFigures(tree, node, tree.base, sides),
    cut: tree.cut.get(node) ?? 0,
  };
}

/** The facts as one sentence, for screen readers. */
export function sentenceOf({ name, place, figures, cut }: BoxFacts): string {
  const said = figures.map(({ label, value, shares }) =>
    `${lowerFirst(label)} ${value}${shares === "" ? "" : `, ${shares}`}`
  );
  return [
    place === "" ? name : `${name}, ${place}`,
    ...said,
    ...(cut === 0 ? [] : [
      t("without {count} smaller box below it|without {count} smaller boxes below it", {
        n: cut,
        count: formatCount(cut),
      }),
    ]),
  ].join("; ");
}

/**
 * Text of a box with room for so many characters. In a comparison it begins with the change, so that colours are not
 * all that tells it.
 */
export function boxLabel(tree: FlameTree, node: number, room: number): string {
  const name = nameOf(tree.frames, tree.nodeFrames[node] ?? 0);
  if (tree.base === null) return fitted(name, room);
  const change = changeText(tree.base.totals[node] ?? 0, tree.totals[node] ?? 0, 0);
  if (change.length > room) return "";
  return `${change} ${fitted(name, room - change.length - 1)}`.trimEnd();
}

/** A value in the unit of its type. */
export function valueText({ type }: Pick<FlameTree, "type">, value: number): string {
  return formatProfileValue(value, type.unit);
}

/** A difference with its sign: `+12ms`, `−3.4MB`, `±0`. */
export function differenceText(tree: Pick<FlameTree, "type">, difference: number): string {
  if (difference === 0) return "±0";
  return `${difference > 0 ? "+" : "−"}${valueText(tree, Math.abs(difference))}`;
}

/** How much more or less: `+12.5%`, `−40.0%`, `new`, `gone`, `±0%`. */
export function changeText(before: number, after: number, decimals: 0 | 1 = 1): string {
  if (before === after) return "±0%";
  if (before === 0) return t("new@@frame");
  if (after === 0) return t("gone");
  const change = (after - before) / Math.abs(before);
  const size = Math.abs(change) * 100;
  const digits = withDecimalMark(size.toFixed(size >= 99.95 ? 0 : decimals));
  return `${change > 0 ? "+" : "−"}${digits}%`;
}

/** A share of a whole in percent; a dash when there is no whole, `0.0%` only for nothing at all. */
export function shareText(part: number, whole: number): string {
  if (whole === 0) return NONE;
  const share = part / whole;
  return share > 0 && share < LEAST_SHARE ? `<${formatPercent(0.001)}` : formatPercent(share);
}

function plainFigures(tree: FlameTree, node: number, zoomed: number): Figure[] {
  const { selfs, totals, starts } = tree;
  const view = totals[zoomed] ?? 0;
  const all = totals[0] ?? 0;
  const figure = (label: string, value: number): Figure => ({
    label,
    value: valueText(tree, value),
    shares: zoomed === 0
      ? t("{share} of all", { share: shareText(value, all) })
      : t("{share} of the view, {whole} of all", {
        share: shareText(value, view),
        whole: shareText(value, all),
      }),
  });
  const figures = [figure(t("Total"), totals[node] ?? 0), figure(t("Self"), selfs[node] ?? 0)];
  if (starts !== null) {
    const since = (starts[node] ?? 0) - (starts[0] ?? 0);
    figures.unshift({ label: t("Begins at"), value: valueText(tree, since), shares: "" });
  }
  return figures;
}

function changeFigures(
  tree: FlameTree,
  node: number,
  base: NonNullable<FlameTree["base"]>,
  { before, after }: SideNames,
): Figure[] {
  const figure = (label: string, value: number, all = 0): Figure => ({
    label,
    value: valueText(tree, value),
    shares: t("{share} of all", { share: shareText(value, all) }),
  });
  return ([[t("Total"), "totals"], [t("Self"), "selfs"]] as const).flatMap(([what, column]) => {
    const [old, now] = [base[column][node] ?? 0, tree[column][node] ?? 0];
    return [
      figure(`${what}, ${before}`, old, base.totals[0]),
      figure(`${what}, ${after}`, now, tree.totals[0]),
      {
        label: t("{what}, change", { what }),
        value: differenceText(tree, now - old),
        shares: changeText(old, now),
      },
    ];
  });
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
