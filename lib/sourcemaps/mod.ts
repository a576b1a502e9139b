export {
  type Artifact,
  type ArtifactType,
  endReadyBundle,
  findArtifacts,
  readArtifact,
  type ReadyBundle,
  readyBundles,
  touchArtifacts,
  type Wanted,
} from "./artifacts/lookup.ts";
export { type ArtifactBundle, bundlesOfRelease } from "./artifacts/bundles.ts";
export { bundledFiles } from "./artifacts/bundle.ts";
export { normalDebugId } from "./artifacts/debug_ids.ts";
export { openSourceMapper, type SourceMapper } from "./mapping/mapper.ts";
export {
  debugIdsOf,
  fileOf,
  type GeneratedFile,
  mayNeedMaps,
  mayNeedSourceMaps,
  missingMapsOf,
  sentStack,
  stackHolders,
} from "./mapping/event_frames.ts";
export { type MissingMap, type MissingMaps, openMissingMaps } from "./mapping/missing_maps.ts";
export type { MappedEvent } from "./mapping/map_event.ts";
export { proguardIds } from "./proguard/deobfuscate.ts";
export { MISSING_MAPPING } from "./proguard/name_event.ts";
export { type Problem } from "./mapping/problems.ts";
export { problemWords } from "./mapping/problem_words.ts";
export type { Build, FoundMap, Resolution } from "./mapping/resolve.ts";
export { BadUpload } from "./artifacts/limits.ts";
export { inMemory, readDirectory, readEntry } from "./artifacts/zip.ts";
export { isBundleKnown, type NewBundle, saveBundle } from "./artifacts/save_bundle.ts";
export { fileKey, spaceOf } from "./artifacts/stored_files.ts";
export { startAssembler } from "./artifacts/assembler.ts";
export { sweepUploads } from "./artifacts/sweep.ts";
