/** How the values of a histogram are spread over time, as it is drawn. */

export interface HeatRow {
  /** Values above `from` up to `to`, in the metric's unit; null: no bound on that side. */
  readonly from: number | null;
  readonly to: number | null;
  /** Observations of each column. */
  readonly counts: readonly number[];
}

export interface Heat {
  readonly title: string;
  /** UCUM of the bounds. */
  readonly ucum: string;
  /** Beginnings of the columns in ms, ascending. */
  readonly times: readonly number[];
  readonly stepMs: number;
  /** From the lowest values to the highest. */
  readonly rows: readonly HeatRow[];
  /** What was coarsened or could not be read. */
  readonly notes: readonly string[];
}

/** How many shades cells have; 0 is no cell. */
export const SHADES = 8;

/** Cells of one shade as SVG path data. */
export interface ShadePath {
  /** 1 to {@linkcode SHADES}. */
  readonly shade: number;
  readonly path: string;
}

/**
 * The cells by their shade: the root of their share of the fullest cell, so that rare values still show.
 *
 * @param width of the drawing, in its own units
 * @param height of the drawing
 */
export function shadePaths({ rows, times }: Heat, width: number, height: number): ShadePath[] {
  const most = fullest(rows);
  if (most === 0) return [];
  const cellWidth = width / Math.max(1, times.length);
  const cellHeight = height / Math.max(1, rows.length);
  const paths = Array.from({ length: SHADES + 1 }, () => "");
  rows.forEach(({ counts }, row) => {
    const y = round(height - (row + 1) * cellHeight);
    const shades = counts.map((count) => Math.ceil(Math.sqrt(count / most) * SHADES));
    for (let column = 0; column < shades.length;) {
      const shade = shades[column] ?? 0;
      let end = column + 1;
      while (shades[end] === shade) end++;
      if (shade > 0) {
        const x = round(column * cellWidth);
        const run = round(end * cellWidth - x);
        paths[shade] += `M${x} ${y}h${run}v${round(cellHeight)}h${-run}z`;
      }
      column = end;
    }
  });
  return paths.flatMap((path, shade) => path === "" ? [] : [{ shade, path }]);
}

/** The largest count of a cell. */
export function fullest(rows: readonly HeatRow[]): number {
  return rows.reduce((most, { counts }) => counts.reduce((a, b) => Math.max(a, b), most), 0);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
