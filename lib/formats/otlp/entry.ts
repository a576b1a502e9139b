import type { Span, Transaction } from "../../records/mod.ts";
import type { DecodeContext } from "../../ingest/protocol.ts";
import { textIn } from "../attributes.ts";
import { clippedName } from "../fields.ts";
import type { JsonObject } from "../json.ts";
import { TEXT } from "../limits.ts";
import { entryFacts } from "../spans/entry_facts.ts";
import { spanTimes } from "../spans/span_times.ts";
import { entryTags } from "../spans/entry_tags.ts";
import { entryEventId } from "../spans/span_ids.ts";
import type { OtlpSender } from "./sender.ts";

/** What an entry span's record needs beside the span. */
export interface EntryScene {
  readonly traceId: string;
  readonly sender: OtlpSender;
  readonly clientSampleRate: number;
}

/** Makes the transaction of an entry span, which is stored as a span as well. */
export function toTransaction(
  span: Span,
  { traceId, sender, clientSampleRate }: EntryScene,
  { receivedAt }: DecodeContext,
): Transaction {
  const attributes = span.data as JsonObject;
  const { name, kind, op, status } = span;
  const facts = entryFacts({ name, source: "", op, kind, status, attributes });
  return {
    kind: "transaction",
    eventId: entryEventId(traceId, span.spanId),
    sentAs: "entry",
    traceId,
    spanId: span.spanId,
    parentSpanId: span.parentSpanId,
    timestamp: new Date(span.end * 1000),
    ...spanTimes(span),
    receivedAt,
    ...facts,
    op,
    status,
    environment: sender.environment,
    release: sender.release,
    dist: "",
    service: sender.service,
    platform: sender.platform,
    sdk: sender.sdk,
    user: userOf(attributes),
    tags: entryTags(attributes),
    measurements: [],
    clientSampleRate,
    serverSampleRate: 1,
    profileId: null,
    profilerId: null,
    payload: "",
  };
}

/** Who was served, as `id:7` or `email:a@b.c`; null when nothing says. */
function userOf(attributes: JsonObject): string | null {
  const id = clippedName(textIn(attributes, "enduser.id", "user.id"), TEXT.name);
  if (id !== undefined) return `id:${id}`;
  const email = clippedName(textIn(attributes, "user.email"), TEXT.email);
  return email === undefined ? null : `email:${email}`;
}
