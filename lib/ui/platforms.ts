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
  OTHER,
];

/** The platform of this id; `other` for ids that came from the API or an SDK. */
export function platformOf(id: string): Platform {
  return PLATFORMS.find((platform) => platform.id === id) ?? OTHER;
}
