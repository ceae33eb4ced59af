-- The catalogue of apps and their actions, as the provider describes them. It belongs to no tenant: every transaction reads it,
-- and only one that names `operator` in app.tenant writes it.

create table composio_apps_cache (
  -- The slug in lower case.
  app_name            text        primary key,
  display_name        text        not null,
  description         text        not null,
  logo_url            text,
  categories          text[]      not null,
  action_count        integer     not null,
  trigger_count       integer     not null,
  -- JSON: a list of DescribedTrigger.
  triggers            text        not null default '[]',
  auth_schemes        text[]      not null,
  managed_schemes     text[]      not null,
  is_open             boolean     not null,
  guide_url           text,
  version             text,
  -- As the provider writes it.
  provider_updated_at text,
  -- active or removed.
  status              text        not null,
  removed_at          timestamptz,
  -- The version, times and counts of the latest listing, and those at which all actions were read; null: never.
  listed_as           text        not null,
  synced_as           text,
  -- The file of its actions in the bucket; null: it has to be compiled.
  compiled            text,
  -- The latest sync that listed it, and the one under way that reads its actions again; null: none does.
  listed_by           text        not null,
  reading             text,
  updated_at          timestamptz not null
);

create table composio_actions_cache (
  -- The provider's name in upper case.
  action_name     text        primary key,
  app_name        text        not null references composio_apps_cache (app_name),
  display_name    text        not null,
  description     text        not null,
  -- JSON: the schema of its input, and of its output.
  parameters      text        not null,
  output          text,
  -- The required ones first.
  parameter_names text[]      not null,
  tags            text[]      not null,
  scopes          text[]      not null,
  capability_tags text[]      not null,
  destructive     boolean     not null,
  effect          text        not null,
  security        text        not null,
  because         text        not null,
  version         text        not null,
  is_open         boolean     not null,
  schema_hash     text        not null,
  status          text        not null,
  removed_at      timestamptz,
  -- The sync that added it, and the latest that read it.
  added_by        text        not null,
  read_by         text        not null,
  updated_at      timestamptz not null
);
create index composio_actions_cache_of_app on composio_actions_cache (app_name, action_name);

-- Figures of the published catalogue.
create table composio_stats_cache (
  stat_key   text        primary key,
  -- JSON.
  stat_value text        not null,
  updated_at timestamptz not null
);

create table composio_sync_jobs (
  id             text        primary key,
  job_type       text        not null,
  status         text        not null,
  started_at     timestamptz not null,
  -- When its latest page was read.
  updated_at     timestamptz not null,
  completed_at   timestamptz,
  duration_ms    bigint,
  apps_synced    integer     not null default 0,
  actions_synced integer     not null default 0,
  errors_count   integer     not null default 0,
  -- JSON: the first of them, each with a name and a reason.
  error_details  text        not null default '[]'
);
create index composio_sync_jobs_page on composio_sync_jobs (started_at desc, id desc);
-- One sync at a time.
create unique index composio_sync_jobs_open on composio_sync_jobs ((true)) where completed_at is null;

-- The published version of the catalogue: one row.
create table app_catalogue (
  name      text        primary key check (name = 'current'),
  -- SHA-256 in hex of the file that names all others.
  snapshot  text        not null,
  synced_at timestamptz not null
);

alter table composio_apps_cache    enable row level security;
alter table composio_apps_cache    force  row level security;
alter table composio_actions_cache enable row level security;
alter table composio_actions_cache force  row level security;
alter table composio_stats_cache   enable row level security;
alter table composio_stats_cache   force  row level security;
alter table composio_sync_jobs     enable row level security;
alter table composio_sync_jobs     force  row level security;
alter table app_catalogue          enable row level security;
alter table app_catalogue          force  row level security;

create policy read_by_all on composio_apps_cache    for select using (true);
create policy read_by_all on composio_actions_cache for select using (true);
create policy read_by_all on composio_stats_cache   for select using (true);
create policy read_by_all on composio_sync_jobs     for select using (true);
create policy read_by_all on app_catalogue          for select using (true);

create policy written_by_operator on composio_apps_cache    using (current_setting('app.tenant', true) = 'operator');
create policy written_by_operator on composio_actions_cache using (current_setting('app.tenant', true) = 'operator');
create policy written_by_operator on composio_stats_cache   using (current_setting('app.tenant', true) = 'operator');
create policy written_by_operator on composio_sync_jobs     using (current_setting('app.tenant', true) = 'operator');
create policy written_by_operator on app_catalogue          using (current_setting('app.tenant', true) = 'operator');

grant select, insert, update, delete on composio_apps_cache    to otto_app;
grant select, insert, update, delete on composio_actions_cache to otto_app;
grant select, insert, update         on composio_stats_cache   to otto_app;
grant select, insert, update, delete on composio_sync_jobs     to otto_app;
grant select, insert, update         on app_catalogue          to otto_app;
