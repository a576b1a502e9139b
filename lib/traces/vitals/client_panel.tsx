import type { Stats } from "../../store/stats/stats.ts";
import { Panel } from "../../ui/components/panel.tsx";
import { Cell, Row, Table } from "../../ui/components/table.tsx";
import { visible } from "../../ui/read.ts";
import { formatCount, formatExact } from "../../ui/format.ts";
import type { ClientColumn } from "./load_page_vitals.ts";
import { Rated } from "./rated.tsx";
import { formatVital, ratingOf, type Vital } from "./ratings.ts";

export interface ClientPanelProps {
  readonly column: ClientColumn;
  readonly vital: Vital;
  /** Counts by name of the browser, device or country; `""` where the client does not say. */
  readonly groups: readonly (Stats & { readonly name: string })[];
}

const TITLES: Readonly<Record<ClientColumn, string>> = {
  browser: "By browser",
  device: "By device",
  country: "By country",
};
const LABELS: Readonly<Record<ClientColumn, string>> = {
  browser: "Browser",
  device: "Device",
  country: "Country",
};
const MAX_ROWS = 10;
const COUNTRIES = new Intl.DisplayNames("en", { type: "region", fallback: "code" });

/** A vital by what visitors use, the most frequent first. */
export function ClientPanel({ column, vital, groups }: ClientPanelProps) {
  const byCount = groups.toSorted((a, b) => b.weight - a.weight);
  const isKnown = groups.some(({ name }) => name !== "");
  return (
    <Panel title={TITLES[column]} id={`by-${column}`} flush>
      {!isKnown
        ? <p class="px-4 py-6 text-sm text-muted">{`No client told its ${column}.`}</p>
        : (
          <Table
            caption={`${vital.label} ${TITLES[column].toLowerCase()}`}
            density="comfortable"
            columns={[
              { label: LABELS[column] },
              { label: "Visits", align: "right" },
              { label: "p75", align: "right" },
            ]}
          >
            {byCount.slice(0, MAX_ROWS).map((group) => {
              const p75 = group.sketch.quantile(0.75);
              return (
                <Row key={group.name}>
                  <Cell class="w-full max-w-0 min-w-24 truncate">
                    <bdi title={nameOf(column, group.name)}>{nameOf(column, group.name)}</bdi>
                  </Cell>
                  <Cell align="right">
                    <span title={formatExact(Math.round(group.weight))}>
                      {formatCount(Math.round(group.weight))}
                    </span>
                  </Cell>
                  <Cell align="right">
                    <Rated rating={ratingOf(vital, p75)}>{formatVital(vital, p75)}</Rated>
                  </Cell>
                </Row>
              );
            })}
          </Table>
        )}
      {groups.length > MAX_ROWS && (
        <p class="border-t border-line px-4 py-2 text-sm text-muted">
          {`${formatExact(groups.length - MAX_ROWS)} more with fewer visits`}
        </p>
      )}
    </Panel>
  );
}

function nameOf(column: ClientColumn, name: string): string {
  if (name === "") return "unknown";
  const isCode = column === "country" && /^[A-Za-z]{2}$/.test(name);
  return isCode ? COUNTRIES.of(name.toUpperCase()) ?? name : visible(name);
}
