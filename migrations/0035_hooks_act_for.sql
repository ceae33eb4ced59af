-- The person for whom tasks of a hook act; null: nobody. It counts at this version of the hook only, so that a release that does not
-- know it ends it with every change. A person that does not exist counts as none.
alter table hooks add column acts_for text;
alter table hooks add column acts_for_version integer;
