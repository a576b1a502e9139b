/** Names the build; part of every URL that may be cached for good. A bundle is served below it. */
export let BUILD_ID = /\/_fresh\/js\/(\w+)\//.exec(import.meta.url)?.[1] ?? "unbuilt";

/** Takes over the id of the build that is being served. */
export function setBuildId(id: string): void {
  BUILD_ID = id;
}

/** Where the bundles of a build are served. */
export function scriptFolder(buildId: string): string {
  return `/_fresh/js/${buildId}/`;
}
