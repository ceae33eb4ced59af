/** The fields that say who may use a database or a codebase: a switch for each list, and its names to check. */
import { useQuery } from "@tanstack/react-query";
import { agentsQuery } from "../api/agents.ts";
import { peopleQuery } from "../api/people.ts";
import { projectsQuery } from "../api/projects.ts";
import type { Person } from "../api/types.generated.ts";
import { type Faults, faultIn } from "../ui/faults.ts";
import { CheckField } from "../ui/field.tsx";
import { Notice, Skeleton } from "../ui/notice.tsx";
import { NameChecks, type NameChoice } from "./name-checks.tsx";
import { isForNobody, LIST_WORDS, type ListName, type Users } from "./users-draft.ts";

interface UserFieldsProps {
  readonly users: Users;
  readonly onChange: (users: Users) => void;
  readonly faults: Faults;
  /** What is used: "codebase". */
  readonly thing: string;
  /** Where the window's title says it already. */
  readonly hidesLegend?: boolean;
}

export function UserFields({ users, onChange, faults, thing, hidesLegend = false }: UserFieldsProps) {
  const { data: agents } = useQuery(agentsQuery);
  const { data: projects } = useQuery(projectsQuery);
  const { data: people } = useQuery(peopleQuery);
  const shared = { users, onChange, faults };
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className={hidesLegend ? "sr-only" : "mb-1 font-medium"}>Who may use it</legend>
      <p className="text-sm text-quiet">
        A task may use the {thing} if it is in every list that you check. Check at least one list.
      </p>
      <List
        {...shared}
        list="agents"
        label="Only these agents"
        names={agents?.map(({ name }) => ({ value: name, name }))}
      />
      <List
        {...shared}
        list="projects"
        label="Only tasks of these projects"
        names={projects?.map((name) => ({ value: name, name }))}
        adding="Another project"
      />
      <List {...shared} list="people" label="Only tasks for these people" names={people?.map(toChoice)} />
      {isForNobody(users) ? (
        <Notice tone="warn" title={`Nobody may use the ${thing} like this`}>
          {noListOf(users) ? "Check at least one list." : "A list that you checked is empty."}
        </Notice>
      ) : null}
    </fieldset>
  );
}

interface ListProps extends Pick<UserFieldsProps, "users" | "onChange" | "faults"> {
  readonly list: ListName;
  readonly label: string;
  /** Undefined while they are read. */
  readonly names: readonly NameChoice[] | undefined;
  /** Names that are not offered can be typed. */
  readonly adding?: string;
}

function List({ users, onChange, faults, list, label, names, adding }: ListProps) {
  const chosen = users[list];
  // One that is not offered can still be unchecked.
  const missing = (chosen ?? []).filter((value) => names?.some((name) => name.value === value) === false);
  const others = missing.map((value) => ({ value, name: list === "people" ? "A person who was deleted" : value }));
  return (
    <div className="flex flex-col gap-2 rounded-md border border-line p-3">
      <CheckField
        label={label}
        checked={chosen !== null}
        onChange={({ target }) => onChange({ ...users, [list]: target.checked ? [] : null })}
        error={faultIn(faults, list)}
      />
      {chosen !== null && names === undefined ? <Skeleton rows={2} height="h-7" /> : null}
      {chosen === null || names === undefined ? null : (
        <NameChecks
          legend={LIST_WORDS[list]}
          names={[...names, ...others]}
          chosen={chosen}
          onChange={(next) => onChange({ ...users, [list]: next })}
          {...(adding === undefined ? {} : { adding })}
        />
      )}
    </div>
  );
}

function noListOf({ agents, projects, people }: Users): boolean {
  return agents === null && projects === null && people === null;
}

/** Two people may have one name. */
function toChoice({ id, name, addresses: [first] }: Person): NameChoice {
  return { value: id, name, ...(first?.kind === "email" ? { detail: first.address } : {}) };
}
