-- The short form of tasks whose texts are long, so that a list of them need not be read whole.

alter table tasks
  -- As JSON text. Null: `view` is short itself, or was written before this migration.
  add column short_view text;
