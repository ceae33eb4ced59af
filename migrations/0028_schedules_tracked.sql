-- Whether the schedule's object reported since it remembers that it was deleted. Then an empty object was lost. Of rows of an
-- earlier release that nothing reported since, an empty object may also be what a deletion that was cut off left.
alter table schedules add column is_tracked boolean not null default false;
