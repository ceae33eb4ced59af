-- How large a source is: bytes of its JSON. What all sources of a tenant have together is bounded, because every request
-- of the tenant may read all of them.
alter table tool_sources add column bytes integer not null default 0;
