import type { SpanCategory, SpanKind } from "../../records/mod.ts";
import { textIn } from "../attributes.ts";
import type { JsonObject } from "../json.ts";
import { splitMethod } from "./http_request.ts";
import { categoryOf } from "./span_category.ts";
import { groupOf } from "./span_group.ts";
import { guessOp } from "./span_ops.ts";

export interface SpanSource {
  readonly kind: SpanKind;
  readonly name: string;
  /** `""` unless the client said; the same for the description. */
  readonly op: string;
  readonly description: string;
  /** With their current names. */
  readonly attributes: JsonObject;
  /** A local root: the program itself, whatever it does. */
  readonly isEntry?: boolean;
}

export interface SpanFacts {
  readonly op: string;
  readonly description: string;
  readonly category: SpanCategory;
  /** `""` when there is no category. */
  readonly group: string;
}

/** What kind of work a span does, whichever SDK or protocol tells of it. */
export function spanFacts(source: SpanSource): SpanFacts {
  const { kind, name, attributes, isEntry = false } = source;
  const op = source.op || guessOp(kind, attributes);
  const title = source.description || name;
  const category = isEntry ? "" : categoryOf(op, kind);
  return {
    op,
    category,
    description: describe(category, title, attributes),
    group: groupOf(category, { op, title, attributes }),
  };
}

function describe(category: SpanCategory, title: string, attributes: JsonObject): string {
  if (category === "db") return textIn(attributes, "db.query.text") || title;
  return category === "http" ? describeRequest(title, attributes) : title;
}

/** `GET https://…` without its query, which is an attribute; as the client put it when it told a URL itself. */
function describeRequest(title: string, attributes: JsonObject): string {
  const url = textIn(attributes, "url.full");
  const method = textIn(attributes, "http.request.method");
  const isTold = splitMethod(title)?.rest.includes("/") ?? false;
  if (isTold || url === "") return title;
  const [plain = ""] = url.split(/[?#]/, 1);
  return [method.toUpperCase(), plain].filter((part) => part !== "").join(" ");
}
