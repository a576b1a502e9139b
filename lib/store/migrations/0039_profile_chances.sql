-- Of too many profiles every so many-th is merged, chosen by the last bits of ids, which are random; see merge_rows.ts.
create index profiles_by_chance on profiles (
  project_id, (get_byte(uuid_send(profile_id), 14) * 256 + get_byte(uuid_send(profile_id), 15)), "timestamp"
);
