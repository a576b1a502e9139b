import type { Sql } from "../../lib/telemetry/database.ts";
import type { ErrorEvent } from "../../lib/telemetry/records.ts";
import {
  type CommitResult,
  openWriter,
  type Writer,
  type WriterOptions,
} from "../../lib/telemetry/writer.ts";
import { silentLogger } from "./silent_logger.ts";

export interface TestWriter extends Writer, AsyncDisposable {
  /** Commits events of one project, without outcomes. */
  store(projectId: string, ...events: ErrorEvent[]): Promise<CommitResult>;
}

/** A writer that closes with the test. */
export function testWriter(sql: Sql, options: Partial<WriterOptions> = {}): TestWriter {
  const writer = openWriter(sql, { log: silentLogger, ...options });
  return {
    commit: (projectId, batch) => writer.commit(projectId, batch),
    count: (projectId, outcomes) => writer.count(projectId, outcomes),
    close: () => writer.close(),
    store: (projectId, ...records) => writer.commit(projectId, { records, outcomes: [] }),
    [Symbol.asyncDispose]: () => writer.close(),
  };
}
