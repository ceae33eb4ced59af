-- Logos of the apps of the catalogue; token sets of a connection that are given up one by one; events of deleted triggers.

-- As in 0001: taken back at the end.
grant otto_directory to current_user;
grant create on schema public to otto_directory;

alter table composio_apps_cache
  -- SHA-256 in hex of the stored logo; null: none was fetched.
  add column logo    text,
  -- The address from which it was fetched. Another one in logo_url has to be fetched.
  add column logo_of text;

-- SHA-256 in hex of the file that names the logo of each app; null: no sync has fetched any.
alter table app_catalogue add column logos text;

-- True once a token set was given up since the last consent: what is confirmed after it does not make all of it confirmed.
alter table entity_connections add column revoke_given_up boolean not null default false;

-- Deleted triggers whose received events are still stored: the outbox of every way in which a row ends. The operator's.
create table ended_triggers (
  tenant   text        not null,
  id       text        primary key,
  ended_at timestamptz not null
);
create index ended_triggers_by_time on ended_triggers (ended_at);

alter table ended_triggers enable row level security;
alter table ended_triggers force  row level security;
create policy rows_of_operator on ended_triggers using (current_setting('app.tenant', true) = 'operator');
create policy directory_rows   on ended_triggers to otto_directory using (true) with check (true);
grant select, delete on ended_triggers to otto_app;
grant select, insert on ended_triggers to otto_directory;

create function otto_note_ended_trigger()
returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  -- Those of a tenant that is purged were deleted before.
  insert into public.ended_triggers (tenant, id, ended_at)
  select old.tenant, old.id, now() from public.tenants t where t.id = old.tenant and t.purged_at is null
  on conflict (id) do nothing;
  return null;
end
$$;
alter function otto_note_ended_trigger() owner to otto_directory;
revoke all on function otto_note_ended_trigger() from public;
create trigger note_ended_trigger after delete on app_triggers for each row execute function otto_note_ended_trigger();

revoke create on schema public from otto_directory;
revoke otto_directory from current_user;
