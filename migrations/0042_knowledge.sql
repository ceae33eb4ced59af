-- Documents of a tenant, and the pieces of them that searches find.

-- As in 0001: taken back at the end.
grant otto_directory to current_user;
grant create on schema public to otto_directory;

create table knowledge_documents (
  tenant     text        not null references tenants (id),
  id         text        not null,
  -- Null: the whole tenant's.
  project    text,
  filename   text        not null,
  -- Null: the title that the document itself has, or its filename.
  title      text,
  tags       text[]      not null,
  -- The version that searches read: its pieces are all there. Null: none is yet.
  shown      integer,
  -- The latest accepted version.
  latest     integer     not null,
  -- An agent, or an API key.
  author     text        not null,
  -- Whether the sweep has something to remove: pieces or files of a version that no search reads.
  unclean    boolean     not null default false,
  -- Nobody sees it any more; its pieces, vectors and files are removed, and then its row.
  deleted_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant, id)
);
create index knowledge_documents_unclean on knowledge_documents (updated_at) where unclean;
create index knowledge_documents_page on knowledge_documents (tenant, created_at desc, id desc);
create index knowledge_documents_by_project on knowledge_documents (tenant, project, created_at desc, id desc);

-- What is read again or replaced is a new version. An old one has no pieces once a later one is shown.
create table knowledge_versions (
  tenant     text        not null references tenants (id),
  document   text        not null,
  version    integer     not null,
  -- queued, reading, embedding, ready or failed.
  status     text        not null check (status in ('queued', 'reading', 'embedding', 'ready', 'failed')),
  -- JSON: where its bytes come from: an upload, an address, a file of a task, or a text.
  source     text        not null,
  -- Where its text came from (core/provenance/label.ts).
  label      smallint    not null check (label in (3, 4)),
  -- The folder of its files in the bucket. No two versions share one.
  files      text        not null,
  -- The title that the document itself has.
  title      text,
  -- SHA-256 in hex of its bytes, by which the bucket has them, and how many; null until they were read.
  hash       text,
  size       bigint,
  -- The kind of the document (core/ports/documents.ts); null until it was read.
  format     text,
  -- Pages, slides or sheets; null for other kinds.
  units      integer,
  -- JSON: how many pieces of each kind it has.
  pieces     text        not null default '{}',
  warnings   text[]      not null default '{}',
  -- JSON: the error that ended it; null unless it failed.
  failure    text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  ended_at   timestamptz,
  primary key (tenant, document, version),
  foreign key (tenant, document) references knowledge_documents (tenant, id) on delete cascade
);
create unique index knowledge_versions_files on knowledge_versions (tenant, files);
create index knowledge_versions_open on knowledge_versions (updated_at) where ended_at is null;

create table knowledge_pieces (
  tenant      text     not null references tenants (id),
  -- The same for the same document, version and ordinal, so that a repeated write changes nothing.
  id          text     not null,
  document    text     not null,
  version     integer  not null,
  ordinal     integer  not null,
  kind        text     not null check (kind in ('text', 'table', 'formula', 'image')),
  -- Empty: the whole tenant's.
  project     text     not null,
  -- The headings above it, the outermost first.
  heading     text[]   not null,
  -- The page, slide or sheet, from 1; null for documents without.
  page        integer,
  -- Where it stands in the Markdown of its version: UTF-16 units, the end not included.
  start_at    integer  not null,
  end_at      integer  not null,
  text        text     not null,
  -- JSON, by kind (core/knowledge/piece.ts).
  data        text     not null,
  -- What a search for words looks at. Who searches fills it, by a trigger.
  tsv         tsvector not null default '',
  -- The model that it has a vector of; null: it has none yet.
  embedded_by text,
  primary key (tenant, id),
  foreign key (tenant, document, version) references knowledge_versions (tenant, document, version) on delete cascade
);
create unique index knowledge_pieces_in_order on knowledge_pieces (tenant, document, version, ordinal);
create index knowledge_pieces_to_embed on knowledge_pieces (embedded_by);

-- What a vector belongs to. An earlier release writes none: its vectors are of memories.
alter table vectors add column collection text not null default 'memory'
  constraint vectors_collection check (collection in ('memory', 'knowledge', 'code'));
alter table vectors drop constraint vectors_kind;
alter table vectors add constraint vectors_kind check (collection <> 'memory' or kind in ('note', 'summary'));
create index vectors_by_collection on vectors (tenant, model, collection, kind);
drop index vectors_by_kind;

alter table knowledge_documents enable row level security;
alter table knowledge_documents force  row level security;
alter table knowledge_versions  enable row level security;
alter table knowledge_versions  force  row level security;
alter table knowledge_pieces    enable row level security;
alter table knowledge_pieces    force  row level security;

create policy tenant_rows on knowledge_documents using (tenant = nullif(current_setting('app.tenant', true), ''));
create policy tenant_rows on knowledge_versions  using (tenant = nullif(current_setting('app.tenant', true), ''));
create policy tenant_rows on knowledge_pieces    using (tenant = nullif(current_setting('app.tenant', true), ''));
create policy directory_rows on knowledge_documents to otto_directory using (true);
create policy directory_rows on knowledge_versions  to otto_directory using (true);
create policy directory_rows on knowledge_pieces    to otto_directory using (true);

grant select, insert, update, delete on knowledge_documents to otto_app;
grant select, insert, update, delete on knowledge_versions  to otto_app;
grant select, insert, update, delete on knowledge_pieces    to otto_app;
grant select, delete                 on knowledge_documents to otto_directory;
grant select, delete                 on knowledge_versions  to otto_directory;
grant select, delete                 on knowledge_pieces    to otto_directory;

-- These rows go when their tenant is purged, as those of 0033.
create function otto_purge_knowledge()
returns trigger
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  delete from public.knowledge_pieces    where tenant = new.id;
  delete from public.knowledge_versions  where tenant = new.id;
  delete from public.knowledge_documents where tenant = new.id;
  return null;
end
$$;
revoke all on function otto_purge_knowledge() from public;

create trigger purge_knowledge after update of purged_at on tenants
  for each row when (new.purged_at is not null) execute function otto_purge_knowledge();

-- The sweep: versions whose reading was interrupted.
create function otto_open_documents(before timestamptz, how_many integer)
returns table (tenant text, document text, version integer)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select v.tenant, v.document, v.version
  from public.knowledge_versions v join public.tenants t on t.id = v.tenant
  where v.ended_at is null and v.updated_at < before and t.erased_at is null
  order by v.updated_at, v.document
  limit how_many
$$;

-- The sweep: documents with pieces or files to remove.
create function otto_unclean_documents(before timestamptz, how_many integer)
returns table (tenant text, document text)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select d.tenant, d.id
  from public.knowledge_documents d join public.tenants t on t.id = d.tenant
  where d.unclean and d.updated_at < before and t.purged_at is null
  order by d.updated_at, d.id
  limit how_many
$$;

-- The sweep: pieces that searches read and that have no vector of this model. As otto_memories_to_embed looks (0004).
create function otto_pieces_to_embed(wanted_model text, how_many integer)
returns table (tenant text, id text)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select p.tenant, p.id
  from (
    (select n.tenant, n.id, n.document, n.version from public.knowledge_pieces n where n.embedded_by is null limit how_many)
    union all
    (select b.tenant, b.id, b.document, b.version from public.knowledge_pieces b where b.embedded_by < wanted_model limit how_many)
    union all
    (select a.tenant, a.id, a.document, a.version from public.knowledge_pieces a where a.embedded_by > wanted_model limit how_many)
  ) p
  join public.tenants t on t.id = p.tenant and t.erased_at is null
  join public.knowledge_documents d on d.tenant = p.tenant and d.id = p.document and d.shown = p.version
  limit how_many
$$;

alter function otto_open_documents(timestamptz, integer) owner to otto_directory;
alter function otto_unclean_documents(timestamptz, integer) owner to otto_directory;
alter function otto_pieces_to_embed(text, integer)       owner to otto_directory;
revoke all on function otto_open_documents(timestamptz, integer) from public;
revoke all on function otto_unclean_documents(timestamptz, integer) from public;
revoke all on function otto_pieces_to_embed(text, integer)       from public;
grant execute on function otto_open_documents(timestamptz, integer) to otto_app;
grant execute on function otto_unclean_documents(timestamptz, integer) to otto_app;
grant execute on function otto_pieces_to_embed(text, integer)       to otto_app;

revoke create on schema public from otto_directory;
revoke otto_directory from current_user;
