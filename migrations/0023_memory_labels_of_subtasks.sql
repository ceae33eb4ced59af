-- Memories from before labels that subtasks of a hook's or a mail's task left, at any depth, are claims: 0022 asked the task
-- alone, and for mail its parent.

-- As in 0022: policies bind the owner too, so they are lifted for this statement.
alter table memories   no force row level security;
alter table tasks      no force row level security;
alter table deliveries no force row level security;

with recursive outside_tasks (tenant, id) as (
  select t.tenant, t.id from tasks t
  where t.view like '%"metadata":{"webhook":{%'
    or (t.key is null and exists (
      select from deliveries d where d.tenant = t.tenant and d.task = t.id and d.channel = 'email'))
  union
  select t.tenant, t.id from tasks t join outside_tasks o on o.tenant = t.tenant and o.id = t.parent
), found as (
  select m.tenant, m.id, m.project, encode(sha256(convert_to('outside ' || m.content_hash, 'UTF8')), 'hex') as claim_hash
  from memories m join outside_tasks o on o.tenant = m.tenant and o.id = m.source_task
  -- What changed since 0022 has a label that this release or a person gave it.
  where m.label = 3 and m.updated_at < (select applied_at from otto_migrations where name = '0022_memory_labels.sql')
)
update memories m
set label = 4, content_hash = case
  -- The same text can be a claim already. Two rows have no hash in common, so this one has a hash of its own.
  when exists (
    select from memories c
    where c.tenant = f.tenant and coalesce(c.project, '') = coalesce(f.project, '') and c.content_hash = f.claim_hash)
  then encode(sha256(convert_to(f.claim_hash || ' ' || f.id, 'UTF8')), 'hex')
  else f.claim_hash end
from found f where m.tenant = f.tenant and m.id = f.id;

alter table memories   force row level security;
alter table tasks      force row level security;
alter table deliveries force row level security;
