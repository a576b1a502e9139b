/**
 * The build step: crawls routes and islands, bundles the islands, writes `_fresh/`.
 *
 * @module
 */

export { Builder, type BuildOptions, type ResolvedBuildConfig } from "./build/builder.ts";
