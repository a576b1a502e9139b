/** The platforms that a project can be created for; ids as Sentry's clients and API spell them. */

export interface Platform {
  readonly id: string;
  readonly label: string;
  /** One to three letters or signs for its tile. */
  readonly mark: string;
}

const OTHER: Platform = { id: "other", label: "Something else", mark: "</>" };

export const PLATFORMS: readonly Platform[] = [
  { id: "javascript", label: "JavaScript, browser", mark: "JS" },
  { id: "node", label: "Node.js", mark: "N" },
  { id: "python", label: "Python", mark: "Py" },
  { id: "php", label: "PHP", mark: "PHP" },
  { id: "go", label: "Go", mark: "Go" },
  { id: "java", label: "Java, Kotlin", mark: "Jv" },
  { id: "ruby", label: "Ruby", mark: "Rb" },
  { id: "dotnet", label: ".NET", mark: ".N" },
  { id: "rust", label: "Rust", mark: "Rs" },
  OTHER,
];

/** What else a family's platforms are called: its frameworks and languages, as parts of ids. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  javascript: ["browser", "react", "vue", "angular", "svelte", "solid", "ember", "gatsby"],
  // Those that render on the server start there.
  node: [
    ...["nodejs", "nextjs", "nuxt", "remix", "sveltekit", "astro", "solidstart", "bun", "deno"],
    ...["nestjs", "express", "fastify", "koa", "hapi", "connect", "awslambda"],
  ],
  python: ["django", "flask", "fastapi", "celery", "starlette", "tornado", "aiohttp", "bottle"],
  php: ["laravel", "symfony", "wordpress"],
  go: ["golang", "gin", "echo", "fiber", "iris", "http"],
  java: ["kotlin", "scala", "spring", "logback", "log4j2", "android", "quarkus", "micronaut"],
  ruby: ["rails", "rack", "sidekiq"],
  dotnet: ["csharp", "fsharp", "aspnet", "aspnetcore", "blazor", "maui", "wpf", "winforms"],
  rust: ["actix", "axum", "tower"],
};

const FAMILY_OF: ReadonlyMap<string, string> = new Map(
  Object.entries(NAMES).flatMap(([family, names]) =>
    [family, ...names].map((name) => [name, family])
  ),
);

/**
 * The platform of an id as SDKs and the API spell them: that of the whole, else of its last part that is known, so that
 * `javascript-nextjs` is Node and `python-django` Python; `other` for what nobody knows.
 */
export function platformOf(id: string): Platform {
  const parts = [id, ...id.split(/[-_.]/).reverse()].map((part) => part.toLowerCase());
  const family = parts.map((part) => FAMILY_OF.get(part)).find((known) => known !== undefined);
  return PLATFORMS.find((platform) => platform.id === family) ?? OTHER;
}
