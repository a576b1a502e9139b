/**
 * Where every record of the control store lives: the one place that knows key shapes.
 * Records live once, under their id; index entries hold ids only, so that no copy can grow stale.
 */
export const keyOf = {
  /** Highest id given out so far. */
  sequence: (kind: "organization" | "project") => ["sequence", kind],

  /** Which installation all stores belong to. */
  instanceMark: () => ["instance", "mark"],
  /** Written once, by whoever took the fresh instance. */
  claim: () => ["instance", "claim"],
  setupCode: () => ["instance", "setup_code"],
  /** Seals secrets that have to be read again, when the settings name none. */
  masterSecret: () => ["instance", "master_secret"],

  user: (id: string) => ["user", id],
  userByEmail: (email: string) => ["user_by_email", email],
  /** The password hash: apart from the user, so that it travels only where it is compared. */
  credential: (userId: string) => ["credential", userId],
  /** Raised to end all sessions of a user at once. */
  sessionEpoch: (userId: string) => ["session_epoch", userId],
  session: (tokenHash: string) => ["session", tokenHash],

  attempts: (kind: string, subject: string) => ["attempts", kind, subject],
  knownDevice: (account: string, tokenHash: string) => ["known_device", account, tokenHash],

  organization: (id: string) => ["organization", id],
  organizationBySlug: (slug: string) => ["organization_by_slug", slug],
  member: (organizationId: string, userId: string) => ["member", organizationId, userId],
  membership: (userId: string, organizationId: string) => ["membership", userId, organizationId],

  invite: (tokenHash: string) => ["invite", tokenHash],
  inviteOf: (organizationId: string, email: string) => ["invite_of", organizationId, email],

  project: (id: string) => ["project", id],
  projectBySlug: (
    organizationId: string,
    slug: string,
  ) => ["project_by_slug", organizationId, slug],
  /** A project that can still be restored; its keys stay where they are and let nobody in without it. */
  deletedProject: (id: string) => ["deleted_project", id],
  deletedProjectOf: (
    organizationId: string,
    id: string,
  ) => ["deleted_project_of", organizationId, id],
  ingestKey: (publicKey: string) => ["ingest_key", publicKey],
  ingestKeyOf: (projectId: string, publicKey: string) => ["ingest_key_of", projectId, publicKey],

  /** A key of which only the hash is known, because the store was made again; see `recovered_keys.ts`. */
  recoveredKey: (hash: string) => ["recovered_key", hash],
  recoveredKeyOf: (projectId: string, hash: string) => ["recovered_key_of", projectId, hash],

  /** Of a public key that was reissued or revoked. */
  retiredKey: (publicKey: string) => ["retired_key", publicKey],
  /** Requests a month. */
  quota: (organizationId: string) => ["quota", organizationId],

  apiToken: (id: string) => ["api_token", id],
  apiTokenOf: (organizationId: string, id: string) => ["api_token_of", organizationId, id],

  rateBucket: (projectId: string) => ["rate_bucket", projectId],
  quotaUse: (organizationId: string, month: string) => ["quota_use", organizationId, month],

  /** Who does a piece of work that only one process may do at a time. */
  lease: (work: string) => ["lease", work],
} satisfies Record<string, (...parts: never[]) => Deno.KvKey>;

/** Prefixes of what is listed. */
export const prefixOf = {
  organizations: () => ["organization"],
  members: (organizationId: string) => ["member", organizationId],
  memberships: (userId: string) => ["membership", userId],
  invites: (organizationId: string) => ["invite_of", organizationId],
  projects: (organizationId: string) => ["project_by_slug", organizationId],
  deletedProjects: (organizationId: string) => ["deleted_project_of", organizationId],
  ingestKeys: (projectId: string) => ["ingest_key_of", projectId],
  recoveredKeys: (projectId: string) => ["recovered_key_of", projectId],
  apiTokens: (organizationId: string) => ["api_token_of", organizationId],
} satisfies Record<string, (...parts: never[]) => Deno.KvKey>;
