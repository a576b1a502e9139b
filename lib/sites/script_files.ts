/** What the build leaves for the pages of customers: the one place that knows its names. */

/** Below the build's folder. */
export const SCRIPTS_FOLDER = "js";
/** Says what was built, as {@linkcode BuiltScripts}. */
export const MANIFEST = "scripts.json";

export interface BuiltScripts {
  /** Text of the loader, without what the key adds. */
  readonly loader: string;
  /** File of the bundle, as `bundle-11.12.0-1a2b3c4d.min.js`; beside it the same with `.br` and `.gz`. */
  readonly bundle: string;
}
