import { asEntries, asInstant, asObject, asObjects, asText, type JsonObject } from "../../ui/read.ts";

/** What kind of step a breadcrumb tells of; each has its own mark on the timeline. */
export type CrumbKind = "error" | "http" | "navigation" | "ui" | "query" | "console" | "other";

export interface Breadcrumb {
  readonly kind: CrumbKind;
  /** Category, or the type where there is none: `fetch`, `ui.click`, `console`. */
  readonly category: string;
  /** `debug`, `info`, `warning`, `error`, `fatal`, or whatever the client wrote. */
  readonly level: string;
  readonly message: string;
  readonly data: readonly (readonly [name: string, value: unknown])[];
  readonly at: Date | null;
}

/** The breadcrumbs of an event, newest first: what happened right before comes first. */
export function breadcrumbsOf(event: JsonObject): readonly Breadcrumb[] {
  return asObjects(event.breadcrumbs).map(breadcrumbOf).toReversed();
}

function breadcrumbOf(raw: JsonObject): Breadcrumb {
  const type = asText(raw.type);
  const category = asText(raw.category) || (type === "default" ? "" : type);
  const level = asText(raw.level) || "info";
  const kind = kindOf(type, category, level);
  const data = asObject(raw.data) ?? {};
  const summary = summaryOf(kind, data);
  return {
    kind,
    category,
    level,
    message: [asText(raw.message), summary.text].filter(Boolean).join(" · "),
    data: asEntries(data).filter(([name]) => !summary.told.includes(name)),
    at: asInstant(raw.timestamp),
  };
}

function kindOf(type: string, category: string, level: string): CrumbKind {
  const words = `${type} ${category}`;
  if (type === "error" || level === "error" || level === "fatal") return "error";
  if (/\b(?:http|xhr|fetch|httplib|http_client)\b/.test(words)) return "http";
  if (/\bnavigation\b/.test(words)) return "navigation";
  if (/\b(?:ui|user|touch)\b/.test(words)) return "ui";
  if (/\b(?:query|sql|db|redis)\b/.test(words)) return "query";
  return /\b(?:console|log|logging)\b/.test(words) ? "console" : "other";
}

/** One line for what the data of common kinds means, and which names it has told. */
function summaryOf(kind: CrumbKind, data: JsonObject): { text: string; told: readonly string[] } {
  const url = asText(data.url);
  if (url !== "") {
    const method = asText(data.method ?? data["http.request.method"] ?? data["http.method"]);
    const status = asText(data.status_code ?? data["http.response.status_code"]);
    return {
      text: [method.toUpperCase(), url, status && `→ ${status}`].filter(Boolean).join(" "),
      told: [
        "url",
        "method",
        "status_code",
        "http.method",
        "http.request.method",
        "http.response.status_code",
      ],
    };
  }
  if (kind === "navigation") {
    const text = [asText(data.from), asText(data.to)].filter(Boolean).join(" → ");
    return { text, told: ["from", "to"] };
  }
  return { text: "", told: [] };
}
