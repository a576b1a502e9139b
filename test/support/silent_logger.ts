import type { Logger } from "../../lib/core/log.ts";

/** For tests that do not look at log lines. */
export const silentLogger: Logger = { info() {}, warn() {}, error() {} };
