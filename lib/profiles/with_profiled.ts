import type { ProfiledService } from "./queries/services.ts";
import type { ProfiledVersion } from "./queries/versions.ts";
import type { ChartMarker } from "../ui/charts/mod.ts";
import type { Tracing } from "../releases/load_tracing.ts";

/** More lines than a chart can show apart. */
const MAX_MARKERS = 20;

/**
 * Services that send nothing but profiles can be chosen too, and so can their environments and releases; releases that
 * traces know nothing of are marked where their profiles begin.
 *
 * @param versions of the services that are looked at
 */
export function withProfiled(
  tracing: Tracing,
  services: readonly ProfiledService[],
  versions: readonly ProfiledVersion[],
): Tracing {
  return {
    ...tracing,
    services: joined(tracing.services, services.map(({ service }) => service)),
    environments: joined(tracing.environments, versions.map(({ environment }) => environment)),
    releases: joined(tracing.releases, versions.map(({ release }) => release)),
    // Of several services nobody could tell whose release it is.
    markers: tracing.scope.services.length === 1 || services.length === 1
      ? [...tracing.markers, ...newMarkers(tracing, versions)].slice(0, MAX_MARKERS)
      : tracing.markers,
  };
}

function newMarkers(
  { markers, releases }: Tracing,
  versions: readonly ProfiledVersion[],
): ChartMarker[] {
  const firsts = new Map<string, number>();
  for (const { release, firstSeen } of versions) {
    const isKnown = releases.includes(release) || markers.some(({ label }) => label === release);
    if (release === "" || isKnown) continue;
    firsts.set(release, Math.min(firsts.get(release) ?? Infinity, firstSeen.getTime()));
  }
  // The oldest was there before: nothing tells when it began.
  return [...firsts].map(([label, at]) => ({ at, label })).sort((a, b) => b.at - a.at).slice(0, -1);
}

function joined(known: readonly string[], more: readonly string[]): string[] {
  return [...new Set([...known, ...more.filter((each) => each !== "")])];
}
