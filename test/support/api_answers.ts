/** Holds answers of the management API to what its document says of them. */
import assert from "node:assert/strict";
import { Ajv2020 } from "ajv/dist/2020.js";
import { z } from "zod";
import { type ApiOperation, documentedPath, openApi } from "@/lib/api/openapi.ts";
import { API_ROUTES } from "@/lib/server/api_table.ts";

const PATTERNS = Object.entries(API_ROUTES).map(([path, methods]) => ({
  path,
  pattern: new URLPattern({ pathname: `/api/0${path}{/}?` }),
  methods,
}));
const DOCUMENT = openApi(API_ROUTES, "");

/** Formats are zod's affair. */
const ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema(DOCUMENT, "api");

/** Both shapes of refusals. */
const Refused = z.union([
  z.object({ detail: z.string() }),
  z.record(z.string(), z.array(z.string())),
]);

/**
 * Compares an answer with what the document says of its method: the status, and the schema. Properties that the schema
 * does not name are missing then.
 *
 * @param path as it was asked for
 */
export function checkAnswer(method: string, path: string, status: number, body: unknown): void {
  const { pathname } = new URL(path, "http://localhost");
  const found = PATTERNS.find(({ pattern }) => pattern.test({ pathname }));
  const asked = `${method} ${pathname}`;
  const facts = found?.methods[method as keyof typeof found.methods];
  if (found === undefined || facts === undefined) return;
  const operation: ApiOperation | undefined = DOCUMENT.paths[documentedPath(found.path)]
    ?.[method.toLowerCase()];
  assert.ok(operation?.responses[status], `${asked}: its document does not know ${status}`);
  const answer = status === 204 ? undefined : facts.answer;
  if (answer !== undefined && status < 400) {
    const steps = ["paths", documentedPath(found.path), method.toLowerCase(), "responses", status];
    const at = [...steps, "content", "application/json", "schema"].map(pointed).join("/");
    const validate = ajv.getSchema(`api#/${at}`);
    assert.ok(validate?.(body), `${asked}: ${ajv.errorsText(validate?.errors)}`);
  }
  if (status >= 400) {
    assert.ok(Refused.safeParse(body).success, `${asked}: ${JSON.stringify(body)}`);
  } // Files have none.
  else if (answer !== undefined) assert.deepEqual(parsed(answer, body, asked), body);
}

/** A step of a JSON pointer in an address. */
function pointed(step: string | number): string {
  return encodeURIComponent(String(step).replaceAll("~", "~0").replaceAll("/", "~1"));
}

function parsed(answer: z.ZodType, body: unknown, asked: string): unknown {
  const { success, data, error } = answer.safeParse(body);
  assert.ok(success, `${asked}: ${error?.message}`);
  return data;
}
