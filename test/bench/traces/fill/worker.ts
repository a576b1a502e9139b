/// <reference lib="deno.worker" />
/** A thread that fills day after day, as it is told. */
import { connectServer } from "@/lib/store/database.ts";
import { type DayOrder, fillDay } from "./fill_day.ts";

export interface FillMessage {
  readonly url: string;
  readonly order: DayOrder;
}

const scope = globalThis as unknown as DedicatedWorkerGlobalScope;

scope.onmessage = async ({ data: { url, order } }: MessageEvent<FillMessage>) => {
  const sql = connectServer(url);
  try {
    await fillDay(sql, order);
    scope.postMessage(null);
  } catch (error) {
    scope.postMessage(String(error));
  } finally {
    await sql.end();
  }
};
