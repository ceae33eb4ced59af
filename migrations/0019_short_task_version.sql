-- Which version of a task its short form is of: an earlier release writes `view` and leaves `short_view` as it was.

alter table tasks
  -- `short_view` counts only where this is `version`. Null: as before this migration, or `view` is short itself.
  add column short_version bigint;
