-- People: humans who can be asked or told something.

create table people (
  tenant        text        not null references tenants (id),
  id            text        not null,
  version       integer     not null,
  name          text        not null,
  -- Names without their case and form: the whole one, its first word, the aliases.
  name_key      text        not null,
  aliases       text[]      not null,
  -- JSON, in the order in which they are used; person_addresses holds what tells them apart.
  addresses     text        not null,
  preferred     text,
  time_zone     text        not null,
  -- JSON; null: at any time.
  working_hours text,
  may_answer    boolean     not null,
  may_approve   boolean     not null,
  created_at    timestamptz not null,
  updated_at    timestamptz not null,
  primary key (tenant, id)
);
create unique index people_name on people (tenant, name_key);
create index people_page on people (tenant, created_at desc, id desc);

-- An address belongs to one person of a tenant.
create table person_addresses (
  tenant  text not null references tenants (id),
  address text not null,
  person  text not null,
  primary key (tenant, address),
  foreign key (tenant, person) references people (tenant, id) on delete cascade
);
create index person_addresses_by_person on person_addresses (tenant, person);

-- What a person is found by beside the whole name: first word and aliases. A table of its own, as memory_tags is.
create table person_names (
  tenant text not null references tenants (id),
  name   text not null,
  person text not null,
  primary key (tenant, name, person),
  foreign key (tenant, person) references people (tenant, id) on delete cascade
);
create index person_names_by_person on person_names (tenant, person);

alter table people           enable row level security;
alter table people           force  row level security;
alter table person_addresses enable row level security;
alter table person_addresses force  row level security;
alter table person_names     enable row level security;
alter table person_names     force  row level security;

create policy tenant_rows on people           using (tenant = nullif(current_setting('app.tenant', true), ''));
create policy tenant_rows on person_addresses using (tenant = nullif(current_setting('app.tenant', true), ''));
create policy tenant_rows on person_names     using (tenant = nullif(current_setting('app.tenant', true), ''));
create policy directory_rows on people           to otto_directory using (true);
create policy directory_rows on person_addresses to otto_directory using (true);
create policy directory_rows on person_names     to otto_directory using (true);

grant select, insert, update, delete on people           to otto_app;
grant select, insert, delete         on person_addresses to otto_app;
grant select, insert, delete         on person_names     to otto_app;
grant select, delete                 on people           to otto_directory;
grant select, delete                 on person_addresses to otto_directory;
grant select, delete                 on person_names     to otto_directory;

-- These rows go when their tenant is purged: otto_purge_tenant marks the tenant, and this runs as the function does.
create function otto_purge_people()
returns trigger
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  delete from public.person_names     where tenant = new.id;
  delete from public.person_addresses where tenant = new.id;
  delete from public.people           where tenant = new.id;
  return null;
end
$$;
revoke all on function otto_purge_people() from public;

create trigger purge_people after update of purged_at on tenants
  for each row when (new.purged_at is not null) execute function otto_purge_people();
