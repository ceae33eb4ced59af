-- Schedules of tenants: what lists show and the sweep looks at. The schedule's object is the truth.

-- As in 0001: taken back at the end.
grant otto_directory to current_user;
grant create on schema public to otto_directory;

create table schedules (
  tenant     text        not null references tenants (id),
  id         text        not null,
  -- Grows with every report of its object.
  report     bigint      not null,
  -- When its object's alarm is due; null: it is paused or over.
  wake_at    timestamptz,
  -- JSON of what its object keeps of it.
  state      text        not null,
  created_at timestamptz not null,
  primary key (tenant, id)
);
create index schedules_page on schedules (tenant, created_at desc, id desc);
create index schedules_overdue on schedules (wake_at, id) where wake_at is not null;

alter table schedules enable row level security;
alter table schedules force  row level security;

create policy tenant_rows    on schedules using (tenant = nullif(current_setting('app.tenant', true), ''));
create policy directory_rows on schedules to otto_directory using (true);

grant select, insert, update, delete on schedules to otto_app;
grant select, delete                 on schedules to otto_directory;

-- The sweep: schedules whose alarm should have gone off.
create function otto_overdue_schedules(before timestamptz, how_many integer)
returns table (tenant text, id text)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select s.tenant, s.id from public.schedules s where s.wake_at < before order by s.wake_at, s.id limit how_many
$$;

-- These rows go when their tenant is purged: otto_purge_tenant marks the tenant, and this runs as the function does.
create function otto_purge_schedules()
returns trigger
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  delete from public.schedules where tenant = new.id;
  return null;
end
$$;
revoke all on function otto_purge_schedules() from public;

create trigger purge_schedules after update of purged_at on tenants
  for each row when (new.purged_at is not null) execute function otto_purge_schedules();

alter function otto_overdue_schedules(timestamptz, integer) owner to otto_directory;

revoke all on function otto_overdue_schedules(timestamptz, integer) from public;

grant execute on function otto_overdue_schedules(timestamptz, integer) to otto_app;

revoke create on schema public from otto_directory;
revoke otto_directory from current_user;
