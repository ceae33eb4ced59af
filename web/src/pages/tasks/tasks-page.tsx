/** The tasks of the tenant, the latest first. The list updates live, except while a reader uses it. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { ArrowUp, Plus } from "lucide-react";
import { type RefObject, useRef } from "react";
import { agentName, agentsQuery } from "../../api/agents.ts";
import { answered, api } from "../../api/client.ts";
import { toApiError } from "../../api/problem.ts";
import type { Task } from "../../api/types.generated.ts";
import { Button, buttonClasses } from "../../ui/button.tsx";
import { Empty, ProblemNotice, Skeleton } from "../../ui/notice.tsx";
import { Page } from "../../ui/page.tsx";
import { type Shortcut, ShortcutsButton, useShortcuts } from "../../ui/shortcuts.tsx";
import { FilterBar } from "./filter-bar.tsx";
import type { SteadyList } from "./steady-list.ts";
import { isFiltered, listQueryOf, type TasksSearch } from "./task-filters.ts";
import { TaskRow } from "./task-row.tsx";
import { useSteadyList } from "./use-steady-list.ts";

export function TasksPage() {
  const search = useSearch({ from: "/console/tasks" });
  const list = useRef<HTMLUListElement>(null);
  const searchBox = useRef<HTMLInputElement>(null);
  const query = useQuery({
    queryKey: ["tasks", "list", search],
    queryFn: async () => await answered(api.GET("/v1/tasks", { params: { query: listQueryOf(search) } })),
    placeholderData: keepPreviousData,
  });
  const steady = useSteadyList(JSON.stringify(search), query.isPlaceholderData ? undefined : query.data, list);
  const shortcuts = useTaskShortcuts(list, searchBox);
  return (
    <Page
      title="Tasks"
      actions={
        <>
          <ShortcutsButton shortcuts={shortcuts} />
          <NewTaskLink />
        </>
      }
    >
      <FilterBar search={search} searchBox={searchBox} />
      {query.isError ? (
        <>
          <ProblemNotice error={query.error} onRetry={() => void query.refetch()} />
          {/* An address that was typed, or kept for long, may ask for what there is not. */}
          {toApiError(query.error).status === 422 ? <AllTasksLink /> : null}
        </>
      ) : null}
      {query.isPending ? <Skeleton rows={8} height="h-16" label="Loading the tasks" /> : null}
      {query.data === undefined ? null : (
        <TaskList
          {...{ search, list, steady: steady.list, onShowNew: steady.showNew }}
          next={query.data.next_cursor}
          isStale={query.isPlaceholderData}
        />
      )}
    </Page>
  );
}

interface TaskListProps {
  readonly search: TasksSearch;
  readonly steady: SteadyList<Task>;
  readonly list: RefObject<HTMLUListElement | null>;
  readonly next: string | null;
  /** Other filters are being read. */
  readonly isStale: boolean;
  readonly onShowNew: () => void;
}

function TaskList({ search, steady, list, next, isStale, onShowNew }: TaskListProps) {
  const agents = useQuery(agentsQuery).data;
  const { rows, waiting } = steady;
  const isFirst = search.after === undefined;
  if (rows.length === 0 && !isStale) return isFiltered(search) || !isFirst ? <NothingFits /> : <NoTasks />;
  return (
    <section aria-label="The tasks" aria-busy={isStale} className="flex flex-col gap-2">
      {/* It takes no room, so that the list does not move when it comes. */}
      <div className="sticky top-16 z-10 flex h-0 items-center justify-center lg:top-6">
        <span role="status" className="sr-only">
          {waiting === 0 ? "" : `${newTasks(waiting)} can be shown`}
        </span>
        {waiting === 0 ? null : (
          <Button
            size="small"
            look="primary"
            className="rounded-full shadow-lg"
            icon={<ArrowUp aria-hidden className="size-4" />}
            onClick={onShowNew}
          >
            {newTasks(waiting)}
          </Button>
        )}
      </div>
      <ul
        ref={list}
        className={`divide-y divide-line overflow-hidden rounded-lg border border-line bg-surface ${isStale ? "opacity-60" : ""}`}
      >
        {rows.map(({ item, isGone }) => (
          <TaskRow key={item.id} task={item} agent={agentName(agents, item.agent.id)} isGone={isGone} />
        ))}
      </ul>
      <nav aria-label="Pages" className="flex justify-between gap-3 py-2">
        {isFirst ? (
          <span />
        ) : (
          <Link to="/tasks" search={({ after: _, ...rest }: TasksSearch) => rest} className={buttonClasses()}>
            Newest tasks
          </Link>
        )}
        {next === null ? null : (
          <Link to="/tasks" search={{ ...search, after: next }} className={buttonClasses()}>
            Older tasks
          </Link>
        )}
      </nav>
    </section>
  );
}

function newTasks(many: number): string {
  return many === 1 ? "1 new task" : `${many} new tasks`;
}

function NewTaskLink() {
  return (
    <Link to="/tasks/new" className={buttonClasses("primary")}>
      <Plus aria-hidden className="size-4" />
      New task
    </Link>
  );
}

function AllTasksLink() {
  return (
    <Link to="/tasks" search={{}} className={buttonClasses("plain")}>
      Show all tasks
    </Link>
  );
}

function NoTasks() {
  return (
    <Empty title="No tasks yet" action={<NewTaskLink />}>
      A task is one piece of work for an agent: say what you want, and see here how it is done. Tasks from Slack, mail,
      schedules and the API appear here too.
    </Empty>
  );
}

function NothingFits() {
  return (
    <Empty title="No matching tasks" action={<AllTasksLink />}>
      Search covers the beginning of the input, and the id.
    </Empty>
  );
}

function useTaskShortcuts(
  list: RefObject<HTMLUListElement | null>,
  searchBox: RefObject<HTMLInputElement | null>,
): readonly Shortcut[] {
  const navigate = useNavigate();
  const step = (by: 1 | -1, event: KeyboardEvent): boolean => {
    const links = [...(list.current?.querySelectorAll<HTMLElement>("[data-row]") ?? [])];
    const at = links.findIndex((link) => link === document.activeElement);
    // Outside the list, the arrows scroll the page.
    if (at === -1 && event.key.startsWith("Arrow")) return false;
    const next = links[at === -1 ? 0 : at + by];
    next?.focus();
    return next !== undefined;
  };
  const shortcuts: readonly Shortcut[] = [
    { keys: ["j", "ArrowDown"], does: "The next task", run: (event) => step(1, event) },
    { keys: ["k", "ArrowUp"], does: "The task before", run: (event) => step(-1, event) },
    { keys: ["/"], does: "Search", run: () => searchBox.current?.focus() },
    { keys: ["n"], does: "A new task", run: () => void navigate({ to: "/tasks/new" }) },
  ];
  useShortcuts(shortcuts);
  return [
    ...shortcuts.slice(0, 2),
    { keys: ["Enter"], does: "Open the task", run: () => false },
    ...shortcuts.slice(2),
  ];
}
