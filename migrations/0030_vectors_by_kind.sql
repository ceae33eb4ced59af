-- A search looks for the nearest notes and for the nearest summaries apart: each completed task leaves a summary, and many
-- near ones would hide the notes.

-- An earlier release writes no kind: what it embeds counts as a note's vector until the vector is replaced. The kind of a
-- result is read from its memory.
alter table vectors add column kind text not null default 'note' constraint vectors_kind check (kind in ('note', 'summary'));

-- As in 0022: policies bind the owner too, so they are lifted for this statement.
alter table memories no force row level security;
alter table vectors  no force row level security;

update vectors v set kind = 'summary' from memories m where m.tenant = v.tenant and m.id = v.id and m.kind = 'summary';

alter table memories force row level security;
alter table vectors  force row level security;

create index vectors_by_kind on vectors (tenant, model, kind);
drop index vectors_by_model;

-- The pages of one kind.
create index memories_page_by_kind on memories (tenant, kind, created_at desc, id desc);
