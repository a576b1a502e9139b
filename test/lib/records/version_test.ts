import assert from "node:assert/strict";
import { compareVersions, parseVersion, sortableVersion } from "@/lib/records/version.ts";

/** From old to new. */
const IN_ORDER = [
  "shop@0.9",
  "shop@1.0.0-alpha",
  "shop@1.0.0-alpha.1",
  "shop@1.0.0-alpha.beta",
  "shop@1.0.0-beta.2",
  "shop@1.0.0-beta.11",
  "shop@1.0.0-rc.1",
  "1.0.0",
  "v1.0.1",
  "shop@1.0.1.1",
  "shop@1.2.0+build.9",
  "shop@1.10.0",
  "shop@10.0.0",
  "shop@999.9.9",
];

for (const [place, older] of IN_ORDER.entries()) {
  for (const newer of IN_ORDER.slice(place + 1)) {
    Deno.test(`${newer} is newer than ${older}`, () => {
      assert.ok((compareVersions(newer, older) ?? 0) > 0);
      assert.ok((compareVersions(older, newer) ?? 0) < 0);
      assert.ok((sortableVersion(newer) ?? "") > (sortableVersion(older) ?? ""));
    });
  }
}

Deno.test("versions are the same whatever their package, build and form", () => {
  assert.equal(compareVersions("shop@1.2.0", "v1.2+77"), 0);
  assert.equal(compareVersions("shop@1.2.0-rc.1", "other@1.2.0-rc.1+5"), 0);
});

const NO_VERSIONS = [
  "a3f5c2d1e0b9",
  "shop@a3f5c2d1e0b9a3f5c2d1e0b9a3f5c2d1e0b9a3f5",
  "123456789012",
  "shop@1234e56",
  "20261123",
  "2026-11-23",
  "main",
  "",
  "shop@",
  `shop@1.0.0-${"a".repeat(200)}`,
];

for (const release of NO_VERSIONS) {
  Deno.test(`"${release.slice(0, 30)}" has no version, and is neither newer nor older`, () => {
    assert.equal(parseVersion(release), null);
    assert.equal(compareVersions(release, "shop@1.0.0"), null);
    assert.equal(sortableVersion(release), null);
  });
}

Deno.test("parseVersion() reads all parts of a version", () => {
  assert.deepEqual(parseVersion("@acme/shop@1.2.3.4-rc.1+77"), {
    package: "@acme/shop",
    numbers: [1, 2, 3, 4],
    preRelease: "rc.1",
    build: "77",
  });
  assert.deepEqual(parseVersion("app@7")?.numbers, [7, 0, 0, 0]);
});
