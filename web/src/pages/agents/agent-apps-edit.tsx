/** The form of the apps and actions that an agent may use. For administrators. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { answered, api } from "../../api/client.ts";
import { toApiError } from "../../api/problem.ts";
import type { AgentApps, AgentAppsInput, ConnectedApp } from "../../api/types.generated.ts";
import { Button } from "../../ui/button.tsx";
import { useDraft } from "../../ui/draft.ts";
import { SelectField, TextArea } from "../../ui/field.tsx";
import { faultIn } from "../../ui/faults.ts";
import { Form } from "../../ui/form.tsx";
import { Empty, ProblemNotice, Skeleton } from "../../ui/notice.tsx";
import { Section } from "../../ui/page.tsx";
import { useToast } from "../../ui/toast.tsx";
import { workspaceQuery } from "../apps/app-queries.ts";
import { type AppsDraft, NO_ACCESS, toAgentApps, toAppsDraft } from "./agent-apps.ts";
import { agentAppsQuery } from "./agent-queries.ts";
import { AppChoiceField } from "./app-choice-field.tsx";

export function AgentAppsEdit({ agent }: { readonly agent: string }) {
  const rights = useQuery(agentAppsQuery(agent));
  const workspace = useQuery(workspaceQuery);
  if (rights.data !== undefined && workspace.data !== undefined) {
    const added = workspace.data.filter((one) => one.is_added && one.is_listed);
    // Another state of the server begins another form; what is typed and not saved yet outlives it.
    return <AppsForm key={JSON.stringify(toAppsDraft(rights.data))} rights={rights.data} added={added} />;
  }
  const error = rights.error ?? workspace.error;
  return error === null ? (
    <Skeleton rows={4} label="Loading the apps" />
  ) : (
    <ProblemNotice
      error={error}
      doing="Couldn't load the apps"
      onRetry={() => void Promise.all([rights.refetch(), workspace.refetch()])}
    />
  );
}

interface AppsFormProps {
  readonly rights: AgentApps;
  /** The apps of the workspace. */
  readonly added: readonly ConnectedApp[];
}

function AppsForm({ rights, added }: AppsFormProps) {
  const start = toAppsDraft(rights);
  const [draft, setDraft, forget] = useDraft<AppsDraft>(`apps of ${rights.agent}`, start);
  const queries = useQueryClient();
  const say = useToast();
  const saving = useMutation({
    mutationFn: async (body: AgentAppsInput) =>
      await answered(api.PUT("/v1/agents/{id}/apps", { params: { path: { id: rights.agent } }, body })),
    onSuccess: (saved) => {
      forget();
      say("Saved. Restrictions apply to running tasks, new access to new tasks.");
      queries.setQueryData(agentAppsQuery(rights.agent).queryKey, saved);
    },
  });
  const apps = listApps(rights, added);
  const set = (change: Partial<AppsDraft>): void => {
    if (saving.isError) saving.reset();
    setDraft({ ...draft, ...change });
  };
  const isChanged = JSON.stringify(draft) !== JSON.stringify(start);
  if (apps.length === 0) return <NoApps />;
  return (
    <Form
      className="flex max-w-3xl flex-col gap-5"
      onSubmit={() =>
        isChanged &&
        !saving.isPending &&
        saving.mutate(
          toAgentApps(
            draft,
            apps.map(({ name }) => name),
          ),
        )
      }
    >
      <SelectField
        label="Apps that it may use"
        value={draft.isEvery ? "every" : "some"}
        onChange={({ target }) => set({ isEvery: target.value === "every" })}
        hint={
          draft.isEvery
            ? "Its calls still need a tool that its settings allow, and an account."
            : "An app that is added to the workspace later is not accessible until you choose it here."
        }
      >
        <option value="every">Every app of the workspace</option>
        <option value="some">Only chosen apps</option>
      </SelectField>
      {draft.isEvery ? null : (
        <Section title="Chosen apps">
          <ul aria-label="Chosen apps" className="divide-y divide-line rounded-lg border border-line bg-surface">
            {apps.map(({ name, title }) => (
              <li key={name} className="px-4 py-3">
                <AppChoiceField
                  app={name}
                  title={title}
                  choice={draft.choices[name] ?? NO_ACCESS}
                  onChange={(choice) => set({ choices: { ...draft.choices, [name]: choice } })}
                />
              </li>
            ))}
          </ul>
        </Section>
      )}
      <TextArea
        label="Switched-off actions"
        hint="One on each line, such as GMAIL_SEND_EMAIL. The agent cannot call them through any app."
        isCode
        rows={2}
        value={draft.switchedOff}
        onChange={({ target }) => set({ switchedOff: target.value })}
        error={saving.isError ? faultIn(toApiError(saving.error).fields, "permissions") : undefined}
      />
      {saving.isError ? <ProblemNotice error={saving.error} doing="Couldn't save" /> : null}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="primary" isBusy={saving.isPending} disabled={!isChanged}>
          Save
        </Button>
        <Button
          look="quiet"
          disabled={!isChanged}
          onClick={() => {
            saving.reset();
            setDraft(start);
          }}
        >
          Undo the changes
        </Button>
      </div>
    </Form>
  );
}

interface ListedApp {
  readonly name: string;
  readonly title: string;
}

/** Lists the apps of the workspace, and those that were set earlier and are not added now, by title. */
function listApps(
  { assignments }: Pick<AgentApps, "assignments">,
  added: readonly ConnectedApp[],
): readonly ListedApp[] {
  const known = new Map(added.map((one) => [one.app_name, one.display_name]));
  const others = assignments.flatMap(({ app_name: name }) => (known.has(name) ? [] : [[name, `${name} (not added)`]]));
  return [...known, ...others]
    .map(([name = "", title = ""]) => ({ name, title }))
    .toSorted((one, other) => one.title.localeCompare(other.title, "en"));
}

function NoApps() {
  return (
    <Empty title="No app is added to the workspace">
      An administrator adds one on its page under{" "}
      <Link to="/apps" className="text-accent underline">
        Apps
      </Link>
      . Until then, agents use no apps.
    </Empty>
  );
}
