-- Whom a key belongs to: a person's id, or null. A deletion of the person clears it, and a person that does not exist counts as
-- none. `bound_at` is when it was set last; null: never.
alter table keys add column person text;
alter table keys add column bound_at timestamptz;
-- JSON of what an act changed, where its target does not tell.
alter table audit add column details text;
