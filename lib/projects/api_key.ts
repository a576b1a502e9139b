import { dsn, type IngestKey } from "../accounts/keys.ts";

/** An ingest key as Sentry's API shows it, and its type, which Sentry has not. */
export function keyJson(key: IngestKey, baseUrl: string) {
  const address = dsn(baseUrl, key);
  return {
    // Sentry names a key by its public half.
    id: key.publicKey,
    name: key.name,
    label: key.name,
    public: key.publicKey,
    projectId: Number(key.projectId),
    isActive: key.isActive,
    type: key.type,
    rateLimit: key.ratePerSec ? { window: 1, count: key.ratePerSec } : null,
    // The second half of a key has no meaning any more; clients that ask for it get what works.
    dsn: { public: address, secret: address },
    dateCreated: key.createdAt,
  };
}
