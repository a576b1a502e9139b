import type { ServiceName } from "./services.ts";

export type Attribute = string | number | boolean | readonly string[];
export type Attributes = Readonly<Record<string, Attribute>>;

/** Something that the shop does, with what it waits for: a span, or a transaction where a service begins. */
export interface Work {
  /** As the SDK of the service that does it would put it. */
  readonly name: string;
  /** As Sentry's SDKs name it; OpenTelemetry tells by `kind` and attributes. */
  readonly op?: string;
  /** @default "internal" */
  readonly kind?: SpanKind;
  /** Time of its own in milliseconds: before, between and after its parts. */
  readonly ms: number;
  readonly parts?: readonly Work[];
  /** All parts begin in its own time, none waits for another. @default false */
  readonly isParallel?: boolean;
  /** It begins so many milliseconds after its parent has ended, which does not wait for it. */
  readonly laterMs?: number;
  readonly data?: Attributes;
  /** As `internal_error`. @default "ok" */
  readonly status?: string;
  readonly thrown?: Thrown;
  readonly logs?: readonly LogLine[];
  /** Present where a service takes over. */
  readonly entry?: Entry;
}

export type SpanKind = "internal" | "server" | "client" | "producer" | "consumer";

/** Where a service begins to work on something. */
export interface Entry {
  readonly service: ServiceName;
  /** Host or process. */
  readonly server: string;
  readonly http?: Served;
  /** Of a page, in milliseconds but for `cls`. */
  readonly vitals?: Readonly<Record<string, number>>;
}

/** An HTTP request as its server sees it. */
export interface Served {
  readonly method: string;
  readonly route: string;
  readonly url: string;
  readonly status: number;
}

/** An exception, outermost frame first. */
export interface Thrown {
  readonly type: string;
  readonly message: string;
  readonly frames: readonly Frame[];
}

export interface Frame {
  readonly module: string;
  readonly filename: string;
  readonly function: string;
  readonly line: number;
  readonly code?: string;
  /** Not of the shop's own code. @default false */
  readonly isForeign?: boolean;
}

export interface LogLine {
  readonly level: "info" | "warn" | "error";
  readonly body: string;
  readonly data?: Attributes;
}
