/**
 * Versions in the names of releases, and which of two is newer: semantic versioning 2.0, in the forms that Sentry's SDKs
 * and tools name releases by, as `shop@1.4.2`, `1.4.2`, `v1.4`, `shop@1.4.2-rc.1+77`.
 */

export interface Version {
  /** `shop` of `shop@1.4.2`; null when the release names none. */
  readonly package: string | null;
  /** Major, minor, patch and revision; what is not told is 0. */
  readonly numbers: readonly [number, number, number, number];
  /** `rc.1`; `""` of a final one. */
  readonly preRelease: string;
  /** What stands behind the `+`; says nothing about the order. */
  readonly build: string;
}

/** Not all of them are versions: `a3f5c2d1e0b9` names a commit. */
const COMMIT =
  /^(?:[0-9a-f]{12}|[0-9a-f]{16}|[0-9a-f]{20}|[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})$/i;
const VERSION =
  /^v?(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?(?:-?([0-9A-Za-z][0-9A-Za-z.-]{0,100}))?(?:\+([0-9A-Za-z.-]{1,100}))?$/;

/**
 * Reads the version in the name of a release.
 *
 * @returns null when there is none: the name of a commit, a date of another form, a word
 */
export function parseVersion(release: string): Version | null {
  const at = release.lastIndexOf("@");
  const text = release.slice(at + 1);
  // A single number is as often a build or a date.
  if (COMMIT.test(text) || (at <= 0 && !/^v?\d+\./.test(text))) return null;
  const match = VERSION.exec(text);
  if (match === null) return null;
  const [, major, minor, patch = "0", revision = "0", preRelease = "", build = ""] = match;
  // `1234e56` is the short name of a commit, where `1.0rc1` is none.
  if (minor === undefined && preRelease !== "" && !text.includes("-")) return null;
  return {
    package: packageOf(release),
    numbers: [Number(major), Number(minor ?? "0"), Number(patch), Number(revision)],
    preRelease,
    build,
  };
}

/** `shop` of `shop@1.4.2`, and of `shop@a3f5c2d` as well; null when the release names none. */
export function packageOf(release: string): string | null {
  const at = release.lastIndexOf("@");
  return at > 0 ? release.slice(0, at) : null;
}

/**
 * Which of two releases of a project is newer by its version, as `compareVersions()`; null also when they are of different
 * packages: `worker@1.2` says nothing of `web@3.0`.
 */
export function compareReleases(a: string, b: string): number | null {
  const [left, right] = [packageOf(a), packageOf(b)];
  return left !== null && right !== null && left !== right ? null : compareVersions(a, b);
}

/**
 * Which of two releases is newer by its version, whatever their packages.
 *
 * @returns below 0 when `a` is older, 0 when they are the same version, above 0 when `a` is newer; null when one of
 *   them has no version: only time can tell then
 */
export function compareVersions(a: string, b: string): number | null {
  const [left, right] = [parseVersion(a), parseVersion(b)];
  return left === null || right === null ? null : compareParsed(left, right);
}

/** The same for versions that are read already. */
export function compareParsed(a: Version, b: Version): number {
  for (const [place, number] of a.numbers.entries()) {
    const difference = number - (b.numbers[place] ?? 0);
    if (difference !== 0) return difference;
  }
  if (a.preRelease === b.preRelease) return 0;
  // What comes before a release is older than it.
  if (a.preRelease === "") return 1;
  if (b.preRelease === "") return -1;
  return comparePreReleases(a.preRelease.split("."), b.preRelease.split("."));
}

/** Part by part: numbers by their value and before words; of two that begin alike the longer is newer. */
function comparePreReleases(a: readonly string[], b: readonly string[]): number {
  for (const [place, part] of a.entries()) {
    const other = b[place];
    if (other === undefined) return 1;
    const [isNumber, isOtherNumber] = [/^\d+$/.test(part), /^\d+$/.test(other)];
    if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
    const difference = isNumber
      ? Number(part) - Number(other)
      : part < other
      ? -1
      : part > other
      ? 1
      : 0;
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/**
 * A name under which the versions of releases sort as text, in the same order: for columns of a table. Pre-releases sort
 * by their words alone.
 *
 * @returns null when the release has no version
 */
export function sortableVersion(release: string): string | null {
  const version = parseVersion(release);
  if (version === null) return null;
  const numbers = version.numbers.map((number) => String(number).padStart(9, "0")).join(".");
  const parts = version.preRelease.split(".").map((part) =>
    /^\d+$/.test(part) ? part.padStart(9, "0") : `a${part}`
  );
  return version.preRelease === "" ? `${numbers}~` : `${numbers}-${parts.join(".")}`;
}
