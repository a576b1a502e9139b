import { unpackText } from "../store/packed_text.ts";
import type { Measurement } from "../records/mod.ts";

/** What a stored transaction says beside its columns. */
export interface TransactionFacts {
  readonly measurements: Readonly<
    Record<string, { readonly value: number; readonly unit: string }>
  >;
  readonly payload: Uint8Array;
  readonly tags: Readonly<Record<string, string>>;
}

/** A transaction's event seen as a span. */
export interface TransactionAttributes {
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly measurements: readonly Measurement[];
  readonly origin: string;
  /** `name/version`, or `""`. */
  readonly sdk: string;
}

/** Attributes of a transaction that is no part of a batch: those of its event. */
export function transactionAttributes(
  { measurements, payload, tags }: TransactionFacts,
): TransactionAttributes {
  const event = payload.length === 0 ? {} : JSON.parse(unpackText(payload));
  const trace = event.contexts?.trace ?? {};
  return {
    attributes: { ...tags, ...trace.data, ...requestFacts(event) },
    measurements: Object.entries(measurements).map(([name, measured]) => ({ name, ...measured })),
    origin: trace.origin ?? "",
    sdk: [event.sdk?.name, event.sdk?.version].filter((part) => part).join("/"),
  };
}

/** What people look for first of the request and the user. */
function requestFacts(
  event: { request?: { url?: unknown; method?: unknown }; user?: { id?: unknown } },
): Record<string, unknown> {
  const facts = {
    "url.full": event.request?.url,
    "http.request.method": event.request?.method,
    "user.id": event.user?.id,
  };
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
}
