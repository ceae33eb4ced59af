-- No list is narrowed to the subtasks of a task any more: those are read from the tasks themselves.
drop index tasks_page_by_parent;
