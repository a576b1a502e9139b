import assert from "node:assert/strict";
import { curlOf } from "@/lib/api/docs/example.ts";
import { nounsOf } from "@/lib/api/docs/nouns.ts";
import { apiDocument } from "@/lib/server/api_table.ts";

function curl(operationId: string): string {
  const document = apiDocument();
  const operation = nounsOf(document).flatMap(({ operations }) => operations)
    .find((each) => each.operationId === operationId);
  assert.ok(operation, operationId);
  return curlOf(operation, document, "https://watch.example.com");
}

Deno.test("curlOf() has the token, what must be in the address, and what the body must have", () => {
  assert.equal(
    curl("getProjectsByOrganizationByProjectMetricsQuery"),
    `curl \\
  -H "Authorization: Bearer $TOKEN" \\
  "https://watch.example.com/api/0/projects/acme/shop/metrics/query/?metric=<metric>"`,
  );
  assert.equal(
    curl("postOrganizationsByOrganizationRepos"),
    `curl -X POST \\
  -H "Authorization: Bearer $TOKEN" \\
  -H "Content-Type: application/json" \\
  -d '{"name":"…"}' \\
  "https://watch.example.com/api/0/organizations/acme/repos/"`,
  );
});

Deno.test("curlOf() sends files as a form, and no token where none is needed", () => {
  assert.match(curl("postOrganizationsByOrganizationChunkUpload"), /-F file=@<file>/);
  assert.doesNotMatch(curl("getOpenapiJson"), /Authorization/);
});
