import type { Sql } from "../../lib/store/database.ts";
import type { TelemetryRecord } from "../../lib/records/mod.ts";
import {
  type CommitResult,
  openWriter,
  type Writer,
  type WriterOptions,
} from "../../lib/ingest/writer/writer.ts";
import { silentLogger } from "./silent_logger.ts";

export interface TestWriter extends Writer, AsyncDisposable {
  /** Commits records of one project, without outcomes. */
  store(projectId: string, ...records: TelemetryRecord[]): Promise<CommitResult>;
}

/**
 * A store that answers late is away, to a service: its clients wait for seconds only. On a busy machine a store of the
 * tests answers late, and what is spooled then is stored later than a test looks.
 */
export const PATIENT = { timeoutMs: 60_000 };

/** A writer that closes with the test. */
export function testWriter(sql: Sql, options: Partial<WriterOptions> = {}): TestWriter {
  const writer = openWriter(sql, { log: silentLogger, ...PATIENT, ...options });
  return {
    commit: (projectId, batch, receipt) => writer.commit(projectId, batch, receipt),
    count: (projectId, outcomes) => writer.count(projectId, outcomes),
    countRequest: (use) => writer.countRequest(use),
    waiting: () => writer.waiting(),
    close: () => writer.close(),
    store: (projectId, ...records) => writer.commit(projectId, { records, outcomes: [] }),
    [Symbol.asyncDispose]: () => writer.close(),
  };
}
