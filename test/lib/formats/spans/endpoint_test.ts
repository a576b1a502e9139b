import assert from "node:assert/strict";
import { endpointKey } from "@/lib/formats/spans/entry_keys.ts";

Deno.test("every framework's way to write a parameter means the same endpoint", () => {
  for (
    const route of [
      "/users/:id",
      "/users/:id?",
      "/users/:id(\\d+)",
      "/users/:id(.:format)",
      "/users/{id}",
      "/users/{id}/",
      "users/{id:int}",
      "/users/{id?}",
      "/users/{id:[0-9]{1,9}}",
      "/users/<int:id>",
      "/users/<id>/",
      "/users/[id]",
      "/users/[[...slug]]",
      "/(app)/users/[id]",
      "/users/$id",
      "/users/*",
      "/users/*path",
      "/users/(.*)",
      "^users/(?P<pk>\\d+)/$",
      "/users/{uuid}",
      "/users/{hex}",
    ]
  ) assert.equal(endpointKey("get", route), "GET /users/{}", route);
});

Deno.test("what is no parameter stays in an endpoint", () => {
  for (
    const [route, key] of [
      ["/", "POST /"],
      ["//", "POST /"],
      ["/v1/users:batch", "POST /v1/users:batch"],
      ["/v1/{name}:cancel", "POST /v1/{}:cancel"],
      ["/flights/:from-:to", "POST /flights/{}-{}"],
      ["/users/:id.json", "POST /users/{}.json"],
      ["/assets/app.{hash}.js", "POST /assets/app.{}.js"],
      ["/broken{id", "POST /broken{}"],
    ] as const
  ) assert.equal(endpointKey("POST", route), key);
});

Deno.test("without a method or a route there is no endpoint", () => {
  assert.equal(endpointKey("", "/users"), "");
  assert.equal(endpointKey("GET", ""), "");
});
