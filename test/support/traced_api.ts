import assert from "node:assert/strict";
import type { TelemetryRecord } from "../../lib/records/mod.ts";
import { type ActorName, type TestApi, testApi } from "./api_people.ts";
import type { World } from "./ingest_world.ts";

/** The management API with a way to store traces, and to ask for them. */
export interface TracedApi extends TestApi {
  store(records: readonly TelemetryRecord[], world?: World): Promise<void>;
  /** What an address below the project's answers with 200, for a viewer. */
  read<T>(path: string): Promise<T>;
  /** Its status and the words of its refusal. */
  refusal(path: string, actor?: ActorName): Promise<{ status: number; words: string }>;
}

/** A fresh {@linkcode TracedApi} without any trace. */
export async function tracedApi(): Promise<TracedApi> {
  const api = await testApi();
  const project = "/projects/acme/acme-shop";
  return {
    ...api,
    async store(records, world = api) {
      await api.services.writer.commit(world.project.id, { records, outcomes: [] });
    },
    async read<T>(path: string) {
      const { status, body } = await api.call<T>("viewer", project + path);
      assert.equal(status, 200, `${path}: ${JSON.stringify(body)}`);
      return body;
    },
    async refusal(path, actor = "viewer") {
      const { status, body } = await api.call(actor, project + path);
      return { status, words: JSON.stringify(body) };
    },
  };
}
