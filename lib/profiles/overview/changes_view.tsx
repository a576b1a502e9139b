import type { ComponentChildren } from "preact";
import type { SlowerFunction } from "../merge/regressions.ts";
import { Alert } from "../../ui/components/alert.tsx";
import { EmptyState } from "../../ui/components/empty_state.tsx";
import { Panel } from "../../ui/components/panel.tsx";
import { Cell, Row, Table } from "../../ui/components/table.tsx";
import { formatExact, formatPercent, formatQuantity, NONE } from "../../ui/format.ts";
import { queryHref } from "../../ui/links_profiles.ts";
import { FunctionName, Points } from "../top_table.tsx";
import type { LookedView } from "./overview_page.tsx";

/** Functions that take a larger share in the newest release than in the one before. */
export function ChangesView({ looked: { changes, value }, path, base, page, title }: LookedView) {
  if (changes === null || changes.kind === "pending") return null;
  if (changes.kind === "failed") {
    return (
      <Alert kind="danger" title="The releases could not be compared">
        <p>Their profiles could not be merged; the service's log says more.</p>
        <a class="link" href={page.pathname + page.search}>Try again</a>
      </Alert>
    );
  }
  if (changes.value === null) {
    return (
      <Box>
        <EmptyState icon="releases" title="There are no two releases to compare">
          The newest release of this time is compared with the one before it; each needs at least
          three profiles that name it. Send <code>release=…</code>{" "}
          with your profiles, choose more releases or a longer time.
        </EmptyState>
      </Box>
    );
  }
  const { release, base: before, profiles, baseProfiles, functions } = changes.value;
  const compare = queryHref(`${path}/compare`, [
    ...base.filter(([name]) => name !== "release"),
    ["release", release],
    ["base", "custom"],
    ["base_release", before],
  ]);
  return (
    <Panel
      title={
        <>
          Slower in <bdi class="wrap-anywhere">{release}</bdi> than in{" "}
          <bdi class="wrap-anywhere">{before}</bdi>
        </>
      }
      id="changes"
      flush
      description={`${title}: shares of ${formatQuantity(profiles, "profile")} against those of ${
        formatExact(baseProfiles)
      } before. Listed are functions whose share grew by at least one percentage point, and by more than chance explains.`}
      actions={<a class="link text-sm" href={compare}>Compare the two in one graph</a>}
    >
      {functions.length === 0
        ? <p class="px-4 py-6 text-muted">No function became clearly slower.</p>
        : (
          <Table
            caption="Functions that take more"
            columns={[
              { label: "Function" },
              { label: "Self before", align: "right", class: "max-md:hidden" },
              { label: "Self", align: "right", class: "max-sm:hidden" },
              { label: "Δ self", align: "right" },
              { label: "Total before", align: "right", class: "max-lg:hidden" },
              { label: "Total", align: "right", class: "max-md:hidden" },
              { label: "Δ total", align: "right" },
              { label: "Samples", align: "right", class: "max-lg:hidden" },
            ]}
          >
            {functions.map((row, place) => (
              <SlowerRow
                key={place}
                row={row}
                href={queryHref(path, [...base, ["function", row.frame.name]])}
              />
            ))}
          </Table>
        )}
      {value.kind === "other" && (
        <p class="border-t border-line px-4 py-2 text-sm text-muted">
          Nobody told what these profiles are of: a larger share need not mean slower.
        </p>
      )}
    </Panel>
  );
}

function SlowerRow({ row, href }: { readonly row: SlowerFunction; readonly href: string }) {
  const { frame, selfShare, baseSelfShare, totalShare, baseTotalShare, samples } = row;
  return (
    <Row>
      <Cell class="w-full max-w-0 min-w-44">
        <FunctionName frame={frame} href={href} />
      </Cell>
      <Cell align="right" class="max-md:hidden">{formatPercent(baseSelfShare)}</Cell>
      <Cell align="right" class="max-sm:hidden">{formatPercent(selfShare)}</Cell>
      <Cell align="right">
        <Points change={selfShare - baseSelfShare} />
      </Cell>
      <Cell align="right" class="max-lg:hidden">{formatPercent(baseTotalShare)}</Cell>
      <Cell align="right" class="max-md:hidden">{formatPercent(totalShare)}</Cell>
      <Cell align="right">
        <Points change={totalShare - baseTotalShare} />
      </Cell>
      <Cell align="right" class="max-lg:hidden">
        {samples === null ? NONE : formatExact(samples)}
      </Cell>
    </Row>
  );
}

function Box({ children }: { readonly children: ComponentChildren }) {
  return <div class="rounded-lg border border-line bg-surface">{children}</div>;
}
