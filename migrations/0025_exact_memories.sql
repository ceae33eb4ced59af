-- A memory's content_hash is of its content byte for byte: texts that differ in white space or in the composition of their
-- letters are two memories, and each is stored as it was given. Until now the hash ignored both.

-- As in 0022: policies bind the owner too, so they are lifted for this statement.
alter table memories no force row level security;

with exact as (
  select m.tenant, m.id, coalesce(m.project, '') as project, m.content_hash as form_hash, case m.label
    when 4 then encode(sha256(convert_to('outside ' || own.hash, 'UTF8')), 'hex') else own.hash end as hash
  from memories m cross join lateral (select encode(sha256(case m.kind
    when 'summary' then convert_to(m.id, 'UTF8') || '\x00'::bytea || convert_to(m.content, 'UTF8')
    else convert_to(m.content, 'UTF8') end), 'hex') as hash) own
), changed as (
  -- Equal texts can have hashes of their own since 0023: one of them takes the hash of the text.
  select distinct on (e.tenant, e.project, e.hash) e.tenant, e.id, e.hash from exact e
  where e.hash <> e.form_hash and not exists (
    select from memories t where t.tenant = e.tenant and coalesce(t.project, '') = e.project and t.content_hash = e.hash)
  order by e.tenant, e.project, e.hash, e.id
)
update memories m set content_hash = c.hash from changed c where m.tenant = c.tenant and m.id = c.id;

alter table memories force row level security;
