-- Parts of uploads that wait to be put together; the bytes are in the object store.
create table upload_chunks (
  organization_id bigint      not null,
  -- Of its bytes, in hex.
  sha1            text        collate "C" not null,
  object_key      text        not null,
  size_bytes      integer     not null,
  -- When it was sent or asked for last.
  used_at         timestamptz not null default now(),
  -- Whether it is part of something that has been put together since.
  is_assembled    boolean     not null default false,
  primary key (organization_id, sha1)
);
create index upload_chunks_by_time on upload_chunks (used_at);

-- What is to be put together, or has been: clients ask how far it is.
create table artifact_assemblies (
  project_id      bigint      not null,
  organization_id bigint      not null,
  -- bundle, proguard
  kind            text        not null,
  -- Of the whole file, in hex.
  sha1            text        collate "C" not null,
  -- As the request says; '' for none.
  release         text        collate "C" not null,
  dist            text        collate "C" not null,
  -- Of a ProGuard file: its name and uuid; else ''.
  name            text        not null,
  -- SHA-1 of its chunks, in their order.
  chunks          text[]      not null,
  -- created, assembling, ok, error
  state           text        not null,
  detail          text        not null default '',
  attempts        integer     not null default 0,
  -- Until then the process that took it works on it, or it is left alone after it failed.
  leased_until    timestamptz not null default now(),
  changed_at      timestamptz not null default now(),
  -- What it became.
  bundle_id       uuid,
  primary key (project_id, kind, sha1, release, dist)
);
create index artifact_assemblies_waiting on artifact_assemblies (leased_until) where state in ('created', 'assembling');
create index artifact_assemblies_by_bundle on artifact_assemblies (project_id, bundle_id);

-- Uploads that can be used: a bundle once for each release and dist of a project.
create table artifact_bundles (
  project_id      bigint      not null,
  bundle_id       uuid        not null,
  organization_id bigint      not null,
  -- bundle, proguard, files: those that were sent one by one
  kind            text        not null,
  -- Of the file that was sent, in hex.
  sha1            text        collate "C" not null,
  -- '' for none; then its files are found by debug id only.
  release         text        collate "C" not null,
  dist            text        collate "C" not null,
  file_count      integer     not null,
  debug_id_count  integer     not null,
  -- Of all its files, as they are.
  size_bytes      bigint      not null,
  uploaded_at     timestamptz not null default now(),
  -- UTC day on which an event needed it last, or it was sent.
  last_used_on    date        not null,
  primary key (project_id, bundle_id)
);
create unique index artifact_bundles_by_content on artifact_bundles (project_id, kind, sha1, release, dist);
create index artifact_bundles_by_time on artifact_bundles (project_id, uploaded_at desc, bundle_id);
create index artifact_bundles_of_organization on artifact_bundles (organization_id, sha1);
create index artifact_bundles_expiring on artifact_bundles (last_used_on);

-- The files of a bundle.
create table artifacts (
  project_id     bigint      not null,
  bundle_id      uuid        not null,
  -- In the manifest, from 0.
  place          integer     not null,
  organization_id bigint     not null,
  -- Its bytes, in artifact_files.
  file_id        uuid        not null,
  -- source, minified_source, source_map, indexed_ram_bundle, proguard
  type           text        not null,
  debug_id       uuid,
  -- In the text of the file, where that tells another one.
  other_debug_id uuid,
  release        text        collate "C" not null,
  dist           text        collate "C" not null,
  url            text        collate "C" not null,
  -- Those that mean something: sourcemap, debug-id.
  headers        jsonb       not null default '{}',
  size_bytes     bigint      not null,
  uploaded_at    timestamptz not null,
  primary key (project_id, bundle_id, place)
);
create index artifacts_by_debug_id on artifacts (project_id, debug_id, type, uploaded_at desc) where debug_id is not null;
create index artifacts_by_other_debug_id on artifacts (project_id, other_debug_id) where other_debug_id is not null;
create index artifacts_by_url on artifacts (project_id, release, dist, url, uploaded_at desc) where release <> '';
create index artifacts_by_file on artifacts (organization_id, file_id);

-- Contents of files, each once in an organization; the bytes are in the object store.
create table artifact_files (
  organization_id bigint      not null,
  file_id         uuid        not null,
  -- Of its bytes, in hex.
  sha256          text        collate "C" not null,
  size_bytes      bigint      not null,
  -- In the object store, compressed.
  stored_bytes    bigint      not null,
  -- False while nobody knows whether its bytes have arrived there.
  is_stored       boolean     not null default false,
  claimed_at      timestamptz not null default now(),
  -- Nobody uses it any more: its bytes are about to go.
  dropped_at      timestamptz,
  primary key (organization_id, file_id)
);
create unique index artifact_files_by_content on artifact_files (organization_id, sha256) where dropped_at is null;
create index artifact_files_dropped on artifact_files (dropped_at) where dropped_at is not null;
create index artifact_files_unsure on artifact_files (claimed_at) where not is_stored;

-- Bundles that can be used since, for events that came before them.
create table ready_bundles (
  project_id bigint      not null,
  bundle_id  uuid        not null,
  noted_at   timestamptz not null default now(),
  primary key (project_id, bundle_id)
);
create index ready_bundles_by_time on ready_bundles (noted_at);
