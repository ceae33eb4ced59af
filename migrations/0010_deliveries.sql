-- Deliveries: what left, or is to leave, for people and other systems, as their outboxes tell it.

create table deliveries (
  tenant     text        not null references tenants (id),
  id         text        not null,
  -- The name of the object that keeps it.
  outbox     text        not null,
  -- Grows with every change; an older row never replaces a newer one.
  version    bigint      not null,
  channel    text        not null,
  -- Where to, as its channel reads it.
  place      text        not null,
  kind       text        not null,
  task       text,
  about      text,
  state      text        not null,
  attempts   integer     not null,
  why        text,
  due_at     timestamptz,
  created_at timestamptz not null,
  ended_at   timestamptz,
  primary key (tenant, id)
);
create index deliveries_page    on deliveries (tenant, created_at desc, id desc);
create index deliveries_of_task on deliveries (tenant, task, created_at desc, id desc) where task is not null;
create index deliveries_overdue on deliveries (due_at, id) where due_at is not null;

alter table deliveries enable row level security;
alter table deliveries force  row level security;

create policy tenant_rows    on deliveries using (tenant = nullif(current_setting('app.tenant', true), ''));
create policy directory_rows on deliveries to otto_directory using (true);

grant select, insert, update, delete on deliveries to otto_app;
grant select, delete                 on deliveries to otto_directory;

grant create on schema public to otto_directory;
grant otto_directory to current_user;

create function otto_overdue_deliveries(before timestamptz, after_at timestamptz, after_id text, how_many integer)
returns table (id text, outbox text, due_at timestamptz)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select d.id, d.outbox, d.due_at
  from public.deliveries d
  where d.due_at < before and (after_at is null or (d.due_at, d.id) > (after_at, after_id))
  order by d.due_at, d.id
  limit how_many
$$;
alter function otto_overdue_deliveries(timestamptz, timestamptz, text, integer) owner to otto_directory;
revoke all on function otto_overdue_deliveries(timestamptz, timestamptz, text, integer) from public;
grant execute on function otto_overdue_deliveries(timestamptz, timestamptz, text, integer) to otto_app;

revoke create on schema public from otto_directory;
revoke otto_directory from current_user;

-- These rows go when their tenant is purged: otto_purge_tenant marks the tenant, and this runs as the function does.
create function otto_purge_deliveries()
returns trigger
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  delete from public.deliveries where tenant = new.id;
  return null;
end
$$;
revoke all on function otto_purge_deliveries() from public;

create trigger purge_deliveries after update of purged_at on tenants
  for each row when (new.purged_at is not null) execute function otto_purge_deliveries();
