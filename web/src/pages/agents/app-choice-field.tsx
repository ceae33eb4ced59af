/** How far an agent may use one app: a level, and for chosen actions the choice. */
import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { CheckField, SelectField } from "../../ui/field.tsx";
import { More } from "../../ui/more.tsx";
import { Name } from "../../ui/name.tsx";
import { ProblemNotice, Skeleton } from "../../ui/notice.tsx";
import { SearchBox } from "../../ui/search-box.tsx";
import { honestProse } from "../../ui/visible-text.ts";
import { chooseAll, chooseNone, findActions } from "../apps/action-choice.ts";
import { allActionsQuery } from "../apps/app-queries.ts";
import { type AppChoice, LEVEL_WORDS } from "./agent-apps.ts";

/** Actions that are laid out at once. */
const AT_ONCE = 20;
const LEVELS = ["full", "read_only", "list"] as const;

interface FieldProps {
  readonly app: string;
  readonly title: string;
  readonly choice: AppChoice;
  readonly onChange: (choice: AppChoice) => void;
}

export function AppChoiceField({ app, title, choice, onChange }: FieldProps) {
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <Name className="min-w-0 font-medium [overflow-wrap:anywhere]">{title}</Name>
        <SelectField
          label={`Access to ${honestProse(title)}`}
          hidesLabel
          className="w-full sm:w-60"
          value={choice.level}
          onChange={({ target }) =>
            onChange({ ...choice, level: LEVELS.find((level) => level === target.value) ?? "none" })
          }
        >
          <option value="none">No access</option>
          {LEVELS.map((level) => (
            <option key={level} value={level}>
              {LEVEL_WORDS[level]}
            </option>
          ))}
        </SelectField>
      </div>
      {choice.level === "list" ? (
        <ActionField
          app={app}
          title={title}
          chosen={choice.actions}
          onChange={(actions) => onChange({ ...choice, actions })}
        />
      ) : null}
    </div>
  );
}

interface ActionFieldProps extends Pick<FieldProps, "app" | "title"> {
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}

/** The enabled actions of the app, and those that are chosen already. */
function ActionField({ app, title, chosen, onChange }: ActionFieldProps) {
  const { data, error, refetch } = useQuery(allActionsQuery(app));
  const [search, setSearch] = useState("");
  const [shown, setShown] = useState(AT_ONCE);
  const id = useId();
  if (data === undefined)
    return error === null ? (
      <Skeleton rows={2} label="Loading the actions" />
    ) : (
      <ProblemNotice error={error} doing="Couldn't load the actions" onRetry={() => void refetch()} />
    );
  const isChosen = new Set(chosen);
  const found = findActions(
    data.filter(({ name, enabled }) => enabled || isChosen.has(name)),
    search,
  );
  return (
    <div role="group" aria-labelledby={id} className="flex flex-col gap-2">
      <p id={id} className="text-sm text-quiet">
        {chosen.length === 1 ? "1 action" : `${chosen.length} actions`} of <Name>{title}</Name> chosen
      </p>
      <SearchBox label={`Search actions of ${honestProse(title)}`} value={search} onSearch={setSearch} />
      <div className="grid gap-2 sm:grid-cols-2">
        {found.slice(0, shown).map((action) => (
          <CheckField
            key={action.name}
            className="min-w-0 [overflow-wrap:anywhere]"
            label={honestProse(action.display_name)}
            hint={action.enabled ? undefined : "Not enabled in the workspace"}
            checked={isChosen.has(action.name)}
            onChange={({ target }) =>
              onChange(target.checked ? chooseAll(chosen, [action]) : chooseNone(chosen, [action]))
            }
          />
        ))}
      </div>
      <More
        shown={Math.min(shown, found.length)}
        hasMore={shown < found.length}
        isBusy={false}
        onMore={() => setShown(shown + AT_ONCE)}
      />
    </div>
  );
}
