import { define } from "@/lib/server/define.ts";
import { answerStatus } from "@/lib/server/status_pages.ts";

/** The parts of a status page: JSON, feed, badges, subscriptions. */
export const handler = define.handlers({ GET: answerStatus, POST: answerStatus });
