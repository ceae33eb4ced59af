import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { SlidersHorizontal, X } from "lucide-react";
import { type RefObject, useId, useState } from "react";
import { agentsQuery } from "../../api/agents.ts";
import { projectsQuery } from "../../api/projects.ts";
import type { TaskStatus } from "../../api/types.ts";
import { statusWord } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { classes } from "../../ui/classes.ts";
import { CheckField, SelectField } from "../../ui/field.tsx";
import { SearchBox } from "../../ui/search-box.tsx";
import { isFiltered, STATUSES, statusesOf, type TasksSearch } from "./task-filters.ts";

interface FilterBarProps {
  readonly search: TasksSearch;
  readonly searchBox: RefObject<HTMLInputElement | null>;
}

/** What the list shows. Each change is a change of the address, and begins at the first page. */
export function FilterBar({ search, searchBox }: FilterBarProps) {
  const navigate = useNavigate();
  const filtersId = useId();
  // A phone has no room for all of them at first, unless one of them is in force.
  const [isOpen, setOpen] = useState(() => isFiltered(omitQuery(search)));
  const agents = useQuery(agentsQuery).data ?? [];
  const projects = useQuery(projectsQuery).data ?? [];
  const show = ({ after: _, ...next }: TasksSearch): void =>
    void navigate({ to: "/tasks", search: next, replace: true });
  const { status: _status, ...withoutStatus } = search;
  const { agent: _agent, ...withoutAgent } = search;
  const { project: _project, ...withoutProject } = search;
  const withoutQuery = omitQuery(search);
  const { subtasks: _subtasks, ...withoutSubtasks } = search;
  const showStatuses = (statuses: readonly TaskStatus[]): void =>
    show(statuses.length === 0 ? withoutStatus : { ...search, status: statuses.join(",") });
  return (
    <div className="flex flex-col gap-3">
      <div className="grid gap-3 lg:grid-cols-[minmax(0,1fr)_26rem]">
        <div className="flex gap-2">
          <SearchBox
            label="Search tasks"
            value={search.query ?? ""}
            box={searchBox}
            onSearch={(query) => show(query === "" ? withoutQuery : { ...search, query })}
          />
          <Button
            className="sm:hidden"
            aria-expanded={isOpen}
            aria-controls={filtersId}
            icon={<SlidersHorizontal aria-hidden className="size-4" />}
            onClick={() => setOpen(!isOpen)}
          >
            Filters
          </Button>
        </div>
        <div id={filtersId} className={classes("grid-cols-2 gap-3 sm:grid", isOpen ? "grid" : "hidden")}>
          <SelectField
            label="Agent"
            hidesLabel
            value={search.agent ?? ""}
            onChange={({ target }) => show(target.value === "" ? withoutAgent : { ...search, agent: target.value })}
          >
            <option value="">All agents</option>
            {agents.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
            <Unlisted value={search.agent} listed={agents.map(({ id }) => id)} />
          </SelectField>
          <SelectField
            label="Project"
            hidesLabel
            value={search.project ?? ""}
            onChange={({ target }) => show(target.value === "" ? withoutProject : { ...search, project: target.value })}
          >
            <option value="">All projects</option>
            {projects.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
            <Unlisted value={search.project} listed={projects} />
          </SelectField>
        </div>
      </div>
      <div
        className={classes(
          "flex-wrap items-center justify-between gap-x-6 gap-y-2 sm:flex",
          isOpen ? "flex" : "hidden",
        )}
      >
        <Statuses chosen={statusesOf(search.status)} onChoose={showStatuses} />
        <CheckField
          className="min-h-8 justify-center"
          label="Include subtasks"
          checked={search.subtasks === true}
          onChange={({ target }) => show(target.checked ? { ...search, subtasks: true } : withoutSubtasks)}
        />
        {isFiltered(search) ? (
          <Button size="small" look="quiet" icon={<X aria-hidden className="size-4" />} onClick={() => show({})}>
            Clear the filters
          </Button>
        ) : null}
      </div>
    </div>
  );
}

/** What the address asks for stays chosen, also when the list of choices does not have it. */
function Unlisted({ value, listed }: { readonly value: string | undefined; readonly listed: readonly string[] }) {
  return value === undefined || listed.includes(value) ? null : <option value={value}>{value}</option>;
}

function Statuses({
  chosen,
  onChoose,
}: {
  readonly chosen: readonly TaskStatus[];
  readonly onChoose: (statuses: readonly TaskStatus[]) => void;
}) {
  return (
    <div role="group" aria-label="Status" className="flex flex-wrap gap-1.5">
      {STATUSES.map((status) => {
        const isChosen = chosen.includes(status);
        return (
          <button
            key={status}
            type="button"
            aria-pressed={isChosen}
            onClick={() => onChoose(isChosen ? chosen.filter((one) => one !== status) : [...chosen, status])}
            className={classes(
              "min-h-8 rounded-full border px-3 text-sm",
              isChosen
                ? "border-accent bg-accent-soft font-medium text-accent"
                : "border-line bg-surface text-quiet hover:bg-hover hover:text-ink",
            )}
          >
            {statusWord(status)}
          </button>
        );
      })}
    </div>
  );
}

function omitQuery({ query: _, ...rest }: TasksSearch): TasksSearch {
  return rest;
}
