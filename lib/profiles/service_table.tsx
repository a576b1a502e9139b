import type { ProfiledKind, ProfiledService } from "./queries/services.ts";
import { Count } from "../ui/components/count.tsx";
import { RelativeTime } from "../ui/components/relative_time.tsx";
import { Cell, Row, Table } from "../ui/components/table.tsx";
import { formatBytes, NONE } from "../ui/format.ts";
import { type ProfileValueChoice, valueId } from "./params.ts";
import { KIND_NAMES, typeNames } from "./words.ts";

export interface ServiceTableProps {
  readonly services: readonly ProfiledService[];
  /** What is looked at. */
  readonly value: ProfileValueChoice;
  /** The page with this service and what there is of it. */
  readonly hrefOf: (service: string, value: ProfileValueChoice) => string;
}

/** Services that send profiles: of which kinds, how many, since when. */
export function ServiceTable({ services, value, hrefOf }: ServiceTableProps) {
  const rows = services.flatMap(({ service, platform, kinds }) =>
    kinds.map((kind) => ({ service, platform, kind }))
  );
  return (
    <Table
      caption="Services with profiles"
      columns={[
        { label: "Service" },
        { label: "Kind" },
        { label: "Values", class: "max-md:hidden" },
        { label: "Profiles", align: "right" },
        { label: "Stored", align: "right", class: "max-lg:hidden" },
        { label: "Last one", align: "right" },
      ]}
    >
      {rows.map(({ service, platform, kind }) => (
        <Row key={`${service} ${kind.kind}`}>
          <Cell class="max-w-64 min-w-36">
            <a
              class="row-link block truncate font-medium"
              href={hrefOf(service, mainValue(kind))}
              title={service}
            >
              <bdi>{service || "without a name"}</bdi>
            </a>
            <span class="block truncate text-meta text-muted">{platform}</span>
          </Cell>
          <Cell class="whitespace-nowrap">{KIND_NAMES[kind.kind]}</Cell>
          <Cell class="w-full max-md:hidden">
            <ul class="flex flex-wrap gap-x-3">
              {withNames(kind).map(({ type, name }) => (
                <li key={valueId({ kind: kind.kind, type })} class="whitespace-nowrap">
                  <a
                    class="above-row-link link text-sm"
                    href={hrefOf(service, { kind: kind.kind, type })}
                    aria-current={valueId(value) === valueId({ kind: kind.kind, type })
                      ? "true"
                      : undefined}
                  >
                    {name}
                  </a>
                </li>
              ))}
            </ul>
          </Cell>
          <Cell align="right">
            <Count value={kind.profiles} unit="profiles" />
          </Cell>
          <Cell align="right" class="max-lg:hidden">
            {kind.bytes > 0 ? formatBytes(kind.bytes) : NONE}
          </Cell>
          <Cell align="right">
            <RelativeTime date={kind.lastSeen} />
          </Cell>
        </Row>
      ))}
    </Table>
  );
}

function withNames({ types }: ProfiledKind) {
  const names = typeNames(types);
  return types.map((type, place) => ({ type, name: names[place] }));
}

/** Profilers put the main value last. */
function mainValue({ kind, types }: ProfiledKind): ProfileValueChoice {
  return { kind, type: types.at(-1) ?? { type: "samples", unit: "count" } };
}
