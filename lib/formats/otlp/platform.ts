/** What `profile.frame.type` says of the program. */
const PLATFORMS: Readonly<Record<string, string>> = {
  cpython: "python",
  v8js: "node",
  jvm: "java",
  go: "go",
  php: "php",
  ruby: "ruby",
  dotnet: "csharp",
  rust: "rust",
  perl: "perl",
  beam: "elixir",
  luajit: "lua",
};

/** Every runtime calls what is written in C. */
const BELOW_ALL = new Set(["native", "kernel"]);

/**
 * The platform of a profile's frames; `""` when they do not say.
 *
 * @param frameTypes the most frequent first
 */
export function platformOfFrames(frameTypes: readonly string[]): string {
  const known = frameTypes.find((type) => Object.hasOwn(PLATFORMS, type));
  if (known !== undefined) return PLATFORMS[known] ?? "";
  return frameTypes.some((type) => BELOW_ALL.has(type)) ? "native" : "";
}
