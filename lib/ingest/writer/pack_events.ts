/** Packs the payloads of events that commit together: those of one project and one UTC day lie in chunks side by side. */
import { Buffer } from "node:buffer";
import {
  isSmallChunk,
  MAX_BYTES,
  MAX_PAYLOADS,
  newChunkId,
  type NewEntry,
  packChunk,
} from "../../store/event_chunks/codec.ts";
import type { Table } from "../../store/write_rows.ts";
import type { FiledEvent } from "./events.ts";

/** Some of the payloads of one project and day, and how they are stored. */
interface EventChunk {
  readonly projectId: string;
  readonly day: string;
  readonly chunkId: string;
  readonly isSmall: boolean;
  /** Base64. */
  readonly body: string;
}

export interface PackedEvents {
  readonly chunks: readonly EventChunk[];
  readonly chunkIds: ReadonlyMap<FiledEvent, string>;
}

export const EVENT_CHUNKS: Table<EventChunk> = {
  name: "event_chunks",
  key: [],
  columns: {
    timestamp: ["timestamptz", ({ day }) => `${day}T00:00:00Z`],
    chunk_id: ["bigint", ({ chunkId }) => chunkId],
    last_id: ["bigint", ({ chunkId }) => chunkId],
    is_small: ["boolean", ({ isSmall }) => isSmall],
    body: ["long_base64", ({ body }) => body],
  },
};

interface Group {
  readonly events: FiledEvent[];
  readonly entries: NewEntry[];
  bytes: number;
}

/** Packs the payloads of events; at another time the chunks have other ids. */
export function packEvents(events: readonly FiledEvent[]): PackedEvents {
  const chunkIds = new Map<FiledEvent, string>();
  const chunks = groupsOf(events).map((group) => {
    const [first] = group.events;
    const chunkId = newChunkId();
    for (const event of group.events) chunkIds.set(event, chunkId);
    return {
      projectId: first?.projectId ?? "",
      day: first?.row.day ?? "",
      chunkId,
      isSmall: isSmallChunk(group.entries.length, group.bytes),
      body: packChunk(group.entries).toBase64(),
    };
  });
  return { chunks, chunkIds };
}

function groupsOf(events: readonly FiledEvent[]): Group[] {
  const groups: Group[] = [];
  const open = new Map<string, Group>();
  for (const event of events) {
    const { projectId, row } = event;
    const { eventId, payload } = row.event;
    const length = Buffer.byteLength(payload);
    const key = `${projectId}/${row.day}`;
    let group = open.get(key);
    const isFull = group !== undefined &&
      (group.entries.length >= MAX_PAYLOADS || group.bytes + length > MAX_BYTES);
    if (group === undefined || isFull) {
      group = { events: [], entries: [], bytes: 0 };
      groups.push(group);
      open.set(key, group);
    }
    group.events.push(event);
    group.entries.push({ eventId, payload, length });
    group.bytes += length;
  }
  return groups;
}
