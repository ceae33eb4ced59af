/** Chooses the actions of an app that agents can use. One save sets them all. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { answered, api } from "../../api/client.ts";
import type { AppAction, MarketplaceApp } from "../../api/types.generated.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { useDraft } from "../../ui/draft.ts";
import { CheckField } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { More } from "../../ui/more.tsx";
import { Name } from "../../ui/name.tsx";
import { Empty, ProblemNotice, Skeleton } from "../../ui/notice.tsx";
import { SearchBox } from "../../ui/search-box.tsx";
import { useToast } from "../../ui/toast.tsx";
import { honestProse } from "../../ui/visible-text.ts";
import { getEffectWording, getLevelWording } from "../tools/tool-words.ts";
import { chooseAll, chooseNone, chooseReading, countDifferences, findActions, sortNames } from "./action-choice.ts";
import { allActionsQuery, marketplaceKey } from "./app-queries.ts";

/** Actions that are laid out at once. */
const AT_ONCE = 50;

interface ChooserProps {
  readonly app: MarketplaceApp;
  readonly onClose: () => void;
}

export function ActionChooser({ app, onClose }: ChooserProps) {
  const { data, error, refetch } = useQuery(allActionsQuery(app.app_name));
  if (data !== undefined) return <Chooser app={app} actions={data} onClose={onClose} />;
  return error === null ? (
    <Skeleton rows={6} label="Loading the actions" />
  ) : (
    <ProblemNotice error={error} doing="Couldn't load the actions" onRetry={() => void refetch()} />
  );
}

function Chooser({ app, actions, onClose }: ChooserProps & { readonly actions: readonly AppAction[] }) {
  const { app_name: name, display_name: title } = app;
  const enabled = sortNames(actions.filter((action) => action.enabled).map((action) => action.name));
  const [draft, setDraft, forget] = useDraft<readonly string[]>(`actions ${name}`, enabled);
  const [search, setSearch] = useState("");
  const queries = useQueryClient();
  const say = useToast();
  // A draft may name actions that the catalogue lost meanwhile.
  const known = new Set(actions.map((action) => action.name));
  const chosen = draft.filter((one) => known.has(one));
  const changes = countDifferences(enabled, chosen);
  const saving = useMutation({
    mutationFn: async (names: readonly string[]) =>
      await answered(
        api.POST("/api/tools/{app}/actions", { params: { path: { app: name } }, body: { actions: [...names] } }),
      ),
    onSuccess: async ({ enabled_count: count }) => {
      forget();
      say(`${title} has ${count === 1 ? "1 enabled action" : `${count} enabled actions`}. New tasks can use them.`);
      await queries.invalidateQueries({ queryKey: marketplaceKey });
      onClose();
    },
  });
  const cancel = (): void => {
    forget();
    onClose();
  };
  return (
    <Form className="flex flex-col gap-3" onSubmit={() => !saving.isPending && changes > 0 && saving.mutate(chosen)}>
      <SearchBox label="Search actions" value={search} onSearch={setSearch} />
      <Choice
        key={search}
        actions={findActions(actions, search)}
        chosen={chosen}
        onChange={(next) => setDraft(sortNames(next))}
      />
      {saving.isError ? <ProblemNotice error={saving.error} doing="Couldn't save" /> : null}
      <div className="sticky bottom-0 flex flex-wrap items-center gap-2 border-t border-line bg-canvas py-3">
        <Button type="submit" look="primary" isBusy={saving.isPending} disabled={changes === 0}>
          Save
        </Button>
        <Button onClick={cancel}>Cancel</Button>
        <span role="status" className="text-sm text-quiet">
          {`${chosen.length} of ${actions.length} enabled${changes === 0 ? "" : `, ${changes} changed`}`}
        </span>
      </div>
    </Form>
  );
}

interface ChoiceProps {
  /** Those that match the search. */
  readonly actions: readonly AppAction[];
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}

function Choice({ actions, chosen, onChange }: ChoiceProps) {
  const [shown, setShown] = useState(AT_ONCE);
  if (actions.length === 0) return <Empty title="No matching actions" />;
  const isChosen = new Set(chosen);
  return (
    <>
      <div role="group" aria-label="Choose among the listed actions" className="flex flex-wrap gap-2">
        <Button size="small" onClick={() => onChange(chooseAll(chosen, actions))}>
          All
        </Button>
        <Button size="small" onClick={() => onChange(chooseNone(chosen, actions))}>
          None
        </Button>
        <Button size="small" onClick={() => onChange(chooseReading(chosen, actions))}>
          Only those that read
        </Button>
      </div>
      <ul aria-label="Actions" className="divide-y divide-line rounded-lg border border-line bg-surface">
        {actions.slice(0, shown).map((action) => (
          <li key={action.name} className="flex flex-col gap-1 px-4 py-2.5">
            <CheckField
              label={honestProse(action.display_name)}
              hint={<ActionHint action={action} />}
              checked={isChosen.has(action.name)}
              onChange={({ target }) =>
                onChange(target.checked ? chooseAll(chosen, [action]) : chooseNone(chosen, [action]))
              }
            />
          </li>
        ))}
      </ul>
      <More
        shown={Math.min(shown, actions.length)}
        hasMore={shown < actions.length}
        isBusy={false}
        onMore={() => setShown(shown + AT_ONCE)}
      />
    </>
  );
}

function ActionHint({
  action: { name, description, effect, security, is_destructive },
}: {
  readonly action: AppAction;
}) {
  const [does, level] = [getEffectWording(effect), getLevelWording(security)];
  return (
    <span className="flex flex-col gap-1">
      <span dir="auto" className="line-clamp-2 [overflow-wrap:anywhere]">
        <Name>{description === "" ? name : description}</Name>
      </span>
      <span className="flex flex-wrap gap-1.5">
        <Badge tone={level.tone}>{level.word}</Badge>
        <Badge tone={does.tone}>{does.word}</Badge>
        {is_destructive ? <Badge tone="danger">Cannot be undone</Badge> : null}
      </span>
    </span>
  );
}
