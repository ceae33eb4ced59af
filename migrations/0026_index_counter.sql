-- What tells a tenant's row apart from that of a lost or older database, and how far the rebuilding of its index is.

-- As in 0001: taken back at the end.
grant otto_directory to current_user;
grant create on schema public to otto_directory;

alter table tenants
  -- Advanced with every batch of the task index, by the tenant's object, which stores the same number.
  add column counter bigint not null default 0,
  -- JSON of the latest rebuilding: {"state", "at" (ms since the epoch), "lost": {kind: count}}. Null: none was ever needed.
  add column reindex jsonb;

-- For /health: tenants whose index is being rebuilt (what = 'running'), and what could not be rebuilt since a moment, by kind.
create function otto_reindexes(since bigint)
returns table (what text, amount bigint)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select 'running'::text, count(*) from public.tenants t
  where t.reindex is not null and t.erased_at is null and t.reindex ->> 'state' = 'running'
  union all
  select lost.key, sum(lost.value::bigint)::bigint
  from public.tenants t, jsonb_each_text(t.reindex -> 'lost') as lost
  where t.reindex is not null and t.erased_at is null and (t.reindex ->> 'at')::bigint >= since
  group by lost.key
$$;

create index tenants_reindexed on tenants (id) where reindex is not null;

alter function otto_reindexes(bigint) owner to otto_directory;
revoke all on function otto_reindexes(bigint) from public;
grant execute on function otto_reindexes(bigint) to otto_app;

revoke create on schema public from otto_directory;
revoke otto_directory from current_user;
