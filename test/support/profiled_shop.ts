/** The app with profiles that came over its own upload. */
import assert from "node:assert/strict";
import { listKeys } from "../../lib/accounts/keys.ts";
import { pprofGzip } from "./pprof.ts";
import { type Shop, shop } from "./shop.ts";

export interface ProfiledShop extends Shop {
  /** `/projects/<id>/profiling` */
  readonly profiling: string;
  /**
   * Uploads a profile.
   *
   * @param query of the upload, as `service=api&release=1`
   * @returns its id
   */
  upload(query: string, ...profile: Parameters<typeof pprofGzip>): Promise<string>;
}

/** A fresh {@linkcode ProfiledShop} without any profile. */
export async function profiledShop(): Promise<ProfiledShop> {
  const site = await shop();
  const keys = await listKeys(site.services.kv, site.projectId);
  const key = keys.find(({ type }) => type === "server")?.publicKey ?? "";
  return {
    ...site,
    profiling: `/projects/${site.projectId}/profiling`,
    async upload(query, ...profile) {
      const response = await site.handle(
        new Request(`http://localhost:8000/api/v1/profiles/pprof?${query}`, {
          method: "POST",
          headers: {
            authorization: `Bearer ${key}`,
            "content-type": "application/octet-stream",
          },
          body: pprofGzip(...profile),
        }),
      );
      const answer = await response.json();
      assert.equal(response.status, 200, JSON.stringify(answer));
      return answer.id;
    },
  };
}

/** Nanoseconds since 1970 of so many minutes ago, for heads of profiles. */
export function minutesAgo(minutes: number): bigint {
  return BigInt(Date.now() - minutes * 60_000) * 1_000_000n;
}
