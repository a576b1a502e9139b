import { t } from "../core/language/translate.ts";
import type { ProfileKind } from "../records/mod.ts";
import type { PageScope } from "../releases/request_scope.ts";
import type { ChartMarker } from "../ui/charts/mod.ts";
import { ChoiceLinks } from "../ui/sorted_list.tsx";
import { Cell, Row, Table } from "../ui/components/table.tsx";
import { Count, RelativeTime } from "../ui/components/values.tsx";
import { formatBytes, NONE } from "../ui/format.ts";
import { type ProfileValueChoice, valueId } from "./params.ts";
import {
  type ProfiledKind,
  type ProfiledService,
  type ProfiledVersion,
  releaseStarts,
} from "./queries/profiled_services.ts";
import { KIND_NAMES, typeNames } from "./words.ts";

/** All that services have to show, each once, in the order of {@linkcode bestValue}. */
export function valuesOf(services: readonly ProfiledService[]): ProfileValueChoice[] {
  const values = new Map<string, ProfileValueChoice>();
  for (const { kind, types } of kindsOf(services)) {
    for (const type of types) {
      const value = { kind, type };
      if (!values.has(valueId(value))) values.set(valueId(value), value);
    }
  }
  return [...values.values()];
}

/** What to show when nobody chose: time on the processor, else on the clock, else what there is most of. */
export function bestValue(services: readonly ProfiledService[]): ProfileValueChoice | null {
  return valuesOf(services)[0] ?? null;
}

/**
 * The platform that all services share, as `go`; undefined when there are several.
 *
 * @param kind only services with such profiles count
 */
export function platformOf(
  services: readonly ProfiledService[],
  kind?: ProfileKind,
): string | undefined {
  const counted = kind === undefined
    ? services
    : services.filter(({ kinds }) => kinds.some((each) => each.kind === kind));
  const [platform, ...others] = new Set(counted.map((service) => service.platform));
  return others.length === 0 ? platform || undefined : undefined;
}

function kindsOf(services: readonly ProfiledService[]) {
  const rank = (kind: string) => kind === "cpu" ? 0 : kind === "wall" ? 1 : 2;
  return services.flatMap(({ kinds }) => kinds).sort((a, b) =>
    rank(a.kind) - rank(b.kind) || b.profiles - a.profiles
  );
}

interface ValuePickerProps {
  readonly values: readonly ProfileValueChoice[];
  readonly chosen: ProfileValueChoice;
  readonly hrefOf: (value: ProfileValueChoice) => string;
}

/** Chooses what is looked at: one of the values that profiles of each kind have. */
export function ValuePicker({ values, chosen, hrefOf }: ValuePickerProps) {
  const isListed = values.some((value) => valueId(value) === valueId(chosen));
  const kinds = Map.groupBy(isListed ? values : [chosen, ...values], ({ kind }) => kind);
  return (
    <div class="flex flex-wrap gap-x-6 gap-y-1.5">
      {[...kinds].map(([kind, listed]) => {
        const names = typeNames(listed.map(({ type }) => type));
        const current = listed.findIndex((value) => valueId(value) === valueId(chosen));
        return (
          <ChoiceLinks
            key={kind}
            label={t(KIND_NAMES[kind])}
            isLabelShown
            choices={names}
            chosen={names[current] ?? null}
            hrefOf={(name) => hrefOf(listed[names.indexOf(name)] ?? chosen)}
          />
        );
      })}
    </div>
  );
}

interface ServiceTableProps {
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
      caption={t("Services with profiles")}
      columns={[
        { label: t("Service") },
        { label: t("Kind") },
        { label: t("Values"), class: "max-md:hidden" },
        { label: t("Profiles"), align: "right" },
        { label: t("Stored"), align: "right", class: "max-lg:hidden" },
        { label: t("Last one"), align: "right" },
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
              <bdi>{service || t("without a name")}</bdi>
            </a>
            <span class="block truncate text-meta text-muted">{platform}</span>
          </Cell>
          <Cell class="whitespace-nowrap">{t(KIND_NAMES[kind.kind])}</Cell>
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
            <Count
              value={kind.profiles}
              unit="{n} profile|{n} profiles"
            />
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

/** More lines than a chart can show apart. */
const MAX_MARKERS = 20;

/**
 * Services that send nothing but profiles can be chosen too, and so can their environments and releases; releases that
 * traces know nothing of are marked where their profiles begin.
 *
 * @param versions of the services that are looked at
 */
export function withProfiled(
  pageScope: PageScope,
  services: readonly ProfiledService[],
  versions: readonly ProfiledVersion[],
): PageScope {
  return {
    ...pageScope,
    services: joined(pageScope.services, services.map(({ service }) => service)),
    environments: joined(pageScope.environments, versions.map(({ environment }) => environment)),
    releases: joined(pageScope.releases, versions.map(({ release }) => release)),
    // Of several services nobody could tell whose release it is.
    markers: pageScope.scope.services.length === 1 || services.length === 1
      ? [...pageScope.markers, ...newMarkers(pageScope, versions)].slice(0, MAX_MARKERS)
      : pageScope.markers,
  };
}

function newMarkers(
  { markers, releases }: PageScope,
  versions: readonly ProfiledVersion[],
): ChartMarker[] {
  const isKnown = (release: string) =>
    releases.includes(release) || markers.some(({ label }) => label === release);
  // The oldest was there before: nothing tells when it began.
  return [...releaseStarts(versions)].filter(([release]) => !isKnown(release))
    .map(([label, at]) => ({ at, label })).sort((a, b) => b.at - a.at).slice(0, -1);
}

function joined(known: readonly string[], more: readonly string[]): string[] {
  return [...new Set([...known, ...more.filter((each) => each !== "")])];
}
