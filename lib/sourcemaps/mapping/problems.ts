/** Why a frame keeps its minified place, as a kind for programs and a sentence for people. */

export type ProblemKind =
  /** The frame names no file that could have a map: nothing is wrong. */
  | "not_mappable"
  | "no_project_maps"
  | "no_map_for_debug_id"
  | "no_release"
  | "no_file_in_release"
  | "no_map_of_file"
  | "bad_map"
  | "too_large"
  | "no_position"
  | "unavailable";

export interface Problem {
  readonly kind: ProblemKind;
  /** One sentence without markup. */
  readonly sentence: string;
}

/** A source map cannot be used; the message is a sentence for who uploaded it. */
export class BadMap extends Error {
  override name = "BadMap";

  constructor(message: string, readonly kind: "bad_map" | "too_large" = "bad_map") {
    super(message);
  }
}

export function problem(kind: ProblemKind, sentence: string): Problem {
  return { kind, sentence };
}

/** Sentry's names for them, for `errors[]` of an event; null where Sentry reports none. */
export const MARKERS: Readonly<
  Record<ProblemKind, { readonly type: string; readonly symbolicator: string } | null>
> = {
  not_mappable: null,
  no_project_maps: { type: "js_no_source", symbolicator: "missing_sourcemap" },
  no_map_for_debug_id: { type: "js_no_source", symbolicator: "missing_sourcemap" },
  no_release: { type: "js_no_source", symbolicator: "missing_source" },
  no_file_in_release: { type: "js_no_source", symbolicator: "missing_source" },
  no_map_of_file: { type: "js_no_source", symbolicator: "missing_sourcemap" },
  bad_map: { type: "js_invalid_source", symbolicator: "malformed_sourcemap" },
  too_large: { type: "js_too_large", symbolicator: "malformed_sourcemap" },
  no_position: { type: "js_invalid_sourcemap_location", symbolicator: "invalid_location" },
  unavailable: { type: "js_no_source", symbolicator: "missing_sourcemap" },
};
