import { type Message, t } from "../core/language/translate.ts";
import { fieldId } from "../ui/components/fields.tsx";
import { Icon } from "../ui/components/icon.tsx";

interface PlatformPickerProps {
  /** Id of the chosen platform, or `""`. */
  readonly value: string;
  readonly error?: string | undefined;
}

/** The choice of a platform as a field of tiles: radio buttons by another look. */
export function PlatformPicker({ value, error }: PlatformPickerProps) {
  return (
    <fieldset id={fieldId("platform")} tabindex={-1} class="outline-none">
      <legend class="mb-1 font-medium">{t("Platform")}</legend>
      <div class="grid grid-cols-1 gap-2 sm:grid-cols-2 lg:grid-cols-3">
        {PLATFORMS.map(({ id, label }) => (
          <label
            key={id}
            class="flex items-center gap-2.5 rounded-md border border-line-strong px-3 py-2.5 hover:bg-hover has-checked:border-accent has-checked:bg-accent-soft has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent"
          >
            <input
              type="radio"
              name="platform"
              value={id}
              checked={id === value}
              required
              class="size-4 accent-accent-fill outline-none"
            />
            <PlatformTile platform={id} />
            {t(label)}
          </label>
        ))}
      </div>
      {error && (
        <p class="mt-1 flex items-center gap-1 text-sm text-danger">
          <Icon name="error" size={14} />
          {error}
        </p>
      )}
    </fieldset>
  );
}

interface PlatformTileProps {
  /** Id of the platform. */
  readonly platform: string;
  /** Edge in pixels. @default 24 */
  readonly size?: 20 | 24 | 32;
}

/** A square with the platform's letters. Decorative: its name stands beside it. */
export function PlatformTile({ platform, size = 24 }: PlatformTileProps) {
  const { mark } = platformOf(platform);
  return (
    <svg width={size} height={size} viewBox="0 0 24 24" aria-hidden="true" class="shrink-0">
      <rect width="24" height="24" rx="5" class="fill-sunken stroke-line" />
      <text
        x="12"
        y="12"
        dy="0.36em"
        text-anchor="middle"
        font-size={mark.length > 2 ? 8 : 10}
        font-weight="600"
        class="fill-muted"
      >
        {mark}
      </text>
    </svg>
  );
}

interface Platform {
  readonly id: string;
  readonly label: Message;
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
  { id: "sites", label: "Site builder: Tilda, Wix, …", mark: "www" },
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
  sites: ["tilda", "wix", "squarespace", "webflow", "shopify"],
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
