import { type Message, message, t } from "../core/language/translate.ts";
import { formatProfileShare } from "../core/value_units.ts";
import type { Frame } from "./trees/stacks.ts";
import { classes } from "../ui/components/icon.tsx";
import { NONE, withDecimalMark } from "../ui/format.ts";
import { ShareOf } from "../ui/components/values.tsx";
import { shownFrame } from "../ui/flamegraph/frames.ts";
import { type SortColumn, SortedTable, type Sorting } from "../ui/sorted_list.tsx";
import type { TopRow } from "./trees/top_functions.ts";
import { valueTexts } from "./words.ts";

/** Look of the cells with a function's name, which take what room there is. */
export const FUNCTION_CELL = "w-full max-w-0 min-w-44";

/** Columns by which functions can be sorted. */
export const TOP_COLUMNS: readonly SortColumn<TopRow>[] = [
  {
    key: "name",
    label: message("Function"),
    value: ({ frame }) => shownFrame(frame).name.toLowerCase(),
    cellClass: FUNCTION_CELL,
  },
  {
    key: "self",
    label: message("Self"),
    value: ({ self }) => Number(self),
    help: message("Without what it calls"),
  },
  {
    key: "total",
    label: message("Total"),
    value: ({ total }) => Number(total),
    help: message("With what it calls"),
    class: "max-sm:hidden",
  },
  { key: "change", label: message("Δ self"), value: ({ selfChange }) => selfChange },
  {
    key: "total-change",
    label: message("Δ total"),
    value: ({ totalChange }) => totalChange,
    class: "max-md:hidden",
  },
];

export interface TopNouns {
  /** As `Function`. */
  readonly one: Message;
  readonly many: Message;
}

export interface TopTableProps {
  readonly rows: readonly TopRow[];
  /** The whole, of which shares are. */
  readonly all: bigint;
  readonly unit: string;
  readonly sorting: Sorting;
  /** What rows are. */
  readonly nouns: TopNouns;
  /** The same list in another order. */
  readonly hrefOf: (sort: string) => string;
  /** Callers and callees of a function; null: there is no such page. */
  readonly functionHref: ((frame: Frame) => string) | null;
}

/** Functions with what they take themselves, and with what they call. */
export function TopTable(props: TopTableProps) {
  const { rows, all, unit, sorting, nouns, hrefOf, functionHref } = props;
  return (
    <SortedTable
      caption={t(nouns.many)}
      columns={TOP_COLUMNS.map((each) =>
        each.key === "name" ? { ...each, label: nouns.one } : each
      )}
      rows={rows}
      rowKey={({ frame: { name, file, module } }) => `${name} ${file} ${module}`}
      sorting={sorting}
      hrefOf={hrefOf}
      cells={{
        name: ({ frame }) => <FunctionName frame={frame} href={functionHref?.(frame) ?? null} />,
        self: ({ self }) => <Value value={self} all={all} unit={unit} />,
        total: ({ total }) => <Value value={total} all={all} unit={unit} />,
        change: ({ selfChange }) => <Points change={selfChange} />,
        "total-change": ({ totalChange }) => <Points change={totalChange} />,
      }}
    />
  );
}

/** Phones show more of a name than its beginning, which many functions share. */
const NAME =
  "block truncate font-mono max-sm:line-clamp-4 max-sm:whitespace-normal max-sm:wrap-anywhere";

/** Name of a function and where it stands. */
export function FunctionName(
  { frame, href }: { readonly frame: Frame; readonly href: string | null },
) {
  const { name, file, line } = shownFrame(frame);
  const { module } = frame;
  const place = file === "" ? module : line > 0 ? `${file}:${line}` : file;
  return (
    <>
      {href === null
        ? (
          <span class={NAME} title={frame.name}>
            <bdi>{name || t("<unknown>")}</bdi>
          </span>
        )
        : (
          <a class={classes("row-link", NAME)} href={href} title={frame.name}>
            <bdi>{name || t("<unknown>")}</bdi>
          </a>
        )}
      {place !== "" && (
        <span class="block truncate text-meta text-muted" title={place}>
          <bdi>{place}</bdi>
        </span>
      )}
    </>
  );
}

function Value(
  { value, all, unit }: { readonly value: bigint; readonly all: bigint; readonly unit: string },
) {
  const { text, exact } = valueTexts(value, unit);
  const share = all === 0n ? 0 : Number(value) / Number(all);
  return (
    <ShareOf share={share} title={exact}>
      {/* One above the other on phones, which would cut off the changes else. */}
      <span class="flex flex-col items-end sm:contents">
        <span>{text}</span>{" "}
        <span class="text-muted sm:min-w-14">{formatProfileShare(value, all)}</span>
      </span>
    </ShareOf>
  );
}

/** Changes that round to nothing. */
const LEAST = 0.0005;

/** By how many percentage points a share changed, in words and not by colour alone. */
export function Points({ change }: { readonly change: number | null }) {
  if (change === null) return <span class="text-muted">{NONE}</span>;
  if (Math.abs(change) < LEAST) {
    return <span class="text-muted">{t("{change} pp", { change: withDecimalMark("±0.0") })}</span>;
  }
  const sign = change > 0 ? "+" : "−";
  return (
    <span
      class={change > 0 ? "text-danger" : "text-ok"}
      title={t("percentage points of everything")}
    >
      {t("{change} pp", { change: sign + withDecimalMark((Math.abs(change) * 100).toFixed(1)) })}
    </span>
  );
}
