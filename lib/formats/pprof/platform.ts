import type { PprofProfile } from "./profile.ts";

const PLATFORMS: readonly (readonly [files: RegExp, platform: string])[] = [
  [/\.go$/, "go"],
  [/^node:|\.[cm]?[jt]sx?$/, "node"],
  [/\.pyx?$/, "python"],
  [/\.rb$/, "ruby"],
  [/\.rs$/, "rust"],
  [/\.php$/, "php"],
  [/\.(?:cs|fs|vb)$/, "csharp"],
  [/\.(?:java|kt|scala)$/, "java"],
  [/\.(?:c|cc|cpp|cxx|h|hpp|s)$/i, "native"],
];

/** So many functions tell as much as all of them. */
const ASKED = 500;

/** The platform that most functions are written for, by their files; `other` when none tells. */
export function platformOf({ functions, strings }: PprofProfile): string {
  const counts = new Map<string, number>();
  const step = Math.max(1, Math.floor(functions.count / ASKED));
  for (let index = 0; index < functions.count; index += step) {
    const file = strings[functions.filenames[index] ?? 0] ?? "";
    const found = PLATFORMS.find(([files]) => files.test(file));
    if (found !== undefined) counts.set(found[1], (counts.get(found[1]) ?? 0) + 1);
  }
  // Every runtime is written in C somewhere.
  if (counts.size > 1) counts.delete("native");
  const [most] = [...counts].toSorted(([, a], [, b]) => b - a);
  return most?.[0] ?? "other";
}
