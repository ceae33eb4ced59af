-- Which keys sealed what tenants store. A sealed value begins with 16 characters of base64 that name its key ('b3Rr' and the
-- key's fingerprint, core/key-ring.ts); a value of an earlier release has no such header and counts under ''.

create table sealing_keys (
  header text primary key,
  -- Only of '': the header of the key that sealed the values without one, as the first start with this release had it.
  member text
);

grant otto_directory to current_user;
grant create on schema public to otto_directory;
-- No tenant's table: it names keys, and holds no value. The Worker's role reaches it by the functions below.
grant select, insert, update, delete on sealing_keys to otto_directory;

-- Records the key of each value that is written. The arguments are the columns of the table that hold sealed values.
create function otto_record_sealing_key()
returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  insert into public.sealing_keys (header)
  select distinct case when value like 'b3Rr%' then left(value, 16) else '' end
  from unnest(tg_argv) as names (name),
    lateral (select to_jsonb(new) -> names.name) as cells (cell),
    lateral jsonb_array_elements_text(case jsonb_typeof(cell)
      when 'array' then cell when 'string' then jsonb_build_array(cell) else '[]'::jsonb end) as sealed (value)
  on conflict do nothing;
  return null;
end
$$;

create function otto_sealing_keys()
returns table (header text, member text)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select k.header, k.member from public.sealing_keys k
$$;

create function otto_set_first_sealing_key(first_header text)
returns void
language sql security definer set search_path = pg_catalog, pg_temp
as $$
  update public.sealing_keys set member = first_header where header = '' and member is null
$$;

-- Removes the record of a key that no value is sealed with. False: some value still is.
create function otto_forget_sealing_key(unused text)
returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  -- Until this ends nothing is sealed: a value that is written now records its key after the removal.
  lock table public.sealing_keys in share row exclusive mode;
  if exists (
    select from (
      select sealed from public.secrets
      union all select sealed from public.mcp_servers
      union all select auth from public.mcp_servers
      union all select sealed from public.endpoints
      union all select unnest(old_sealed) from public.endpoints
      union all select sealed from public.hooks
      union all select unnest(old_sealed) from public.hooks
      union all select sealed from public.slack_installs
    ) as stored (value)
    where value is not null and case when value like 'b3Rr%' then left(value, 16) else '' end = unused
  ) then
    return false;
  end if;
  delete from public.sealing_keys where header = unused;
  return true;
end
$$;

alter function otto_record_sealing_key()        owner to otto_directory;
alter function otto_sealing_keys()              owner to otto_directory;
alter function otto_set_first_sealing_key(text) owner to otto_directory;
alter function otto_forget_sealing_key(text)    owner to otto_directory;
revoke all on function otto_record_sealing_key()        from public;
revoke all on function otto_sealing_keys()              from public;
revoke all on function otto_set_first_sealing_key(text) from public;
revoke all on function otto_forget_sealing_key(text)    from public;
grant execute on function otto_sealing_keys()              to otto_app;
grant execute on function otto_set_first_sealing_key(text) to otto_app;
grant execute on function otto_forget_sealing_key(text)    to otto_app;

create trigger record_sealing_key after insert or update of sealed on secrets
  for each row execute function otto_record_sealing_key('sealed');
create trigger record_sealing_key after insert or update of sealed, auth on mcp_servers
  for each row execute function otto_record_sealing_key('sealed', 'auth');
create trigger record_sealing_key after insert or update of sealed, old_sealed on endpoints
  for each row execute function otto_record_sealing_key('sealed', 'old_sealed');
create trigger record_sealing_key after insert or update of sealed, old_sealed on hooks
  for each row execute function otto_record_sealing_key('sealed', 'old_sealed');
create trigger record_sealing_key after insert or update of sealed on slack_installs
  for each row execute function otto_record_sealing_key('sealed');

revoke create on schema public from otto_directory;
revoke otto_directory from current_user;

-- What an earlier release sealed. Policies bind the owner too, so they are lifted for this statement.
alter table secrets        no force row level security;
alter table mcp_servers    no force row level security;
alter table endpoints      no force row level security;
alter table hooks          no force row level security;
alter table slack_installs no force row level security;

insert into sealing_keys (header)
select '' where exists (select from secrets) or exists (select from mcp_servers) or exists (select from endpoints)
  or exists (select from hooks) or exists (select from slack_installs where sealed is not null);

alter table secrets        force row level security;
alter table mcp_servers    force row level security;
alter table endpoints      force row level security;
alter table hooks          force row level security;
alter table slack_installs force row level security;
