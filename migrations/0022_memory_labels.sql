-- Where a memory's text came from (core/provenance/label.ts): 3, a record of the tenant; 4, from outside, and no fact.

alter table memories
  -- An earlier release writes none: what it saves counts as a record, as before.
  add column label smallint not null default 3 constraint memories_label check (label in (3, 4));

-- What a task from a hook or a mail left. Policies bind the owner too, so they are lifted for this statement. A view is JSON
-- text: quotes inside its strings are escaped, so this pattern is the object's own field.
alter table memories   no force row level security;
alter table tasks      no force row level security;
alter table deliveries no force row level security;

update memories m
set label = 4, content_hash = encode(sha256(convert_to('outside ' || m.content_hash, 'UTF8')), 'hex')
where m.source_task is not null and exists (
  select from tasks t
  where t.tenant = m.tenant and t.id = m.source_task and (
    t.view like '%"metadata":{"webhook":{%'
    or (t.key is null and exists (
      select from deliveries d where d.tenant = t.tenant and d.task in (t.id, t.parent) and d.channel = 'email'))));

alter table memories   force row level security;
alter table tasks      force row level security;
alter table deliveries force row level security;
