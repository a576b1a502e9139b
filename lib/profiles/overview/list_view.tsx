import { Pagination } from "../../ui/components/pagination.tsx";
import { Panel } from "../../ui/components/panel.tsx";
import { formatExactOf } from "../../ui/format.ts";
import { PROFILE_ORDERS, type ProfileOrder } from "../queries/list.ts";
import { ChoiceLinks } from "../../ui/choice_links.tsx";
import { queryHref } from "../../ui/links_profiles.ts";
import { ProfileTable } from "./profile_table.tsx";
import { NothingMerged } from "../nothing_merged.tsx";
import type { LookedView } from "./overview_page.tsx";

const ORDER_NAMES: Readonly<Record<ProfileOrder, string>> = {
  newest: "Newest",
  longest: "Longest",
  largest: "Largest",
};

/** The newest profiles of the selection, as a beginning. */
export function ProfilesPanel(
  { tracing, looked: { list, named, value, volume }, path, base }: LookedView,
) {
  if (list.rows.length === 0) return null;
  return (
    <Panel
      title="Newest profiles"
      id="profiles"
      flush
      actions={
        <a class="link text-sm" href={queryHref(path, [...base, ["view", "list"]])}>
          All {formatExactOf(volume.count, "profiles")}
        </a>
      }
    >
      <ProfileTable
        projectId={tracing.project.id}
        rows={list.rows}
        named={named}
        value={value}
        caption="Newest profiles"
      />
    </Panel>
  );
}

/** All profiles of the selection, page by page. */
export function ListView({ tracing, looked, path, base, view: { order } }: LookedView) {
  const { list, named, value, volume } = looked;
  const hrefOf = (sort: ProfileOrder, cursor: string | null) =>
    queryHref(path, [
      ...base,
      ["view", "list"],
      ...(sort === "newest" ? [] : [["order", sort] as const]),
      ...(cursor === null ? [] : [["cursor", cursor] as const]),
    ]);
  if (list.rows.length === 0 && list.previousCursor === null) return <NothingMerged left={0} />;
  const names = PROFILE_ORDERS.map((each) => ORDER_NAMES[each]);
  return (
    <Panel title="Profiles" id="profiles" flush>
      <div class="px-4 pb-3">
        <ChoiceLinks
          label="Order"
          choices={names}
          chosen={ORDER_NAMES[order]}
          hrefOf={(name) => hrefOf(PROFILE_ORDERS[names.indexOf(name)] ?? "newest", null)}
        />
      </div>
      <ProfileTable
        projectId={tracing.project.id}
        rows={list.rows}
        named={named}
        value={value}
      />
      <div class="border-t border-line">
        <Pagination
          label="Pages of profiles"
          summary={`${list.rows.length} of ${formatExactOf(volume.count, "profiles")}`}
          previousHref={list.previousCursor && hrefOf(order, list.previousCursor)}
          nextHref={list.nextCursor && hrefOf(order, list.nextCursor)}
        />
      </div>
    </Panel>
  );
}
