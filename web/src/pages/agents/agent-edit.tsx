/** An agent's form: what is kept becomes its next version. */
import { useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { answered, answeredWithTag, api } from "../../api/client.ts";
import type { Agent } from "../../api/types.generated.ts";
import { buttonClasses } from "../../ui/button.tsx";
import { DeleteButton } from "../../ui/delete-button.tsx";
import { EditButtons, EditOvertaken } from "../../ui/edit-parts.tsx";
import { type Tagged, useEdit } from "../../ui/edit.ts";
import { Section } from "../../ui/page.tsx";
import { useToast } from "../../ui/toast.tsx";
import { type AgentConfig, configOfAgent } from "./agent-config.ts";
import { fieldChanges } from "./agent-difference.ts";
import { type AgentDraft, draftOf, readDraft } from "./agent-draft.ts";
import { AgentForm } from "./agent-form.tsx";
import { agentQuery } from "./agent-queries.ts";
import { YamlForm } from "./agent-yaml.tsx";

export function AgentEdit({ agent }: { readonly agent: Tagged<Agent> }) {
  const { id, version } = agent.body;
  const navigate = useNavigate();
  const client = useQueryClient();
  const say = useToast();
  const onSaved = async (now: Agent): Promise<void> => {
    say(
      now.version === version
        ? `The file is version ${version} already.`
        : `Created version ${now.version}. Running tasks keep theirs.`,
    );
    await client.invalidateQueries({ queryKey: ["agents"] });
  };
  const showVersion = async (now: Agent): Promise<void> => {
    const search = { view: "versions", from: now.version - 1, to: now.version } as const;
    await navigate({ to: "/agents/$agentId", params: { agentId: id }, search });
  };
  const edit = useEdit({
    kind: "agent",
    now: agent,
    draftOf: (one) => draftOf(configOfAgent(one)),
    read: readAgent,
    put: async (body, header) =>
      await answeredWithTag(api.PUT("/v1/agents/{id}", { params: { path: { id }, header }, body })),
    onSaved,
    leave: showVersion,
    queryKey: agentQuery(id).queryKey,
  });
  const read = readDraft(edit.draft);
  const changes = changesBetween(edit.start, edit.draft);
  // Saving without changes creates no version.
  const isChanged = edit.isChanged && (!read.ok || changes.length > 0);
  return (
    <>
      <EditOvertaken
        edit={edit}
        more={
          <Link
            to="/agents/$agentId"
            params={{ agentId: id }}
            search={{ view: "versions", from: edit.version, to: version }}
            className={buttonClasses("plain", "small")}
          >
            See what changed
          </Link>
        }
      />
      <AgentForm
        draft={edit.draft}
        faults={{ ...edit.faults, ...(read.ok ? {} : read.faults) }}
        set={edit.change}
        onSubmit={() => isChanged && edit.save()}
      >
        {changes.length === 0 ? null : (
          <p role="status" className="text-sm text-quiet">
            Changed: {changes.map(({ title }) => title).join(", ")}
          </p>
        )}
        <EditButtons edit={{ ...edit, isChanged }} action={`Save as version ${edit.version + 1}`} />
      </AgentForm>
      <details className="rounded-lg border border-line bg-surface">
        <summary className="px-4 py-2.5 font-medium">The next version from a YAML file</summary>
        <div className="border-t border-line p-4">
          <YamlForm
            of={{ id, etag: agent.etag }}
            onMade={(now) => void onSaved(now).then(async () => now.version > 1 && (await showVersion(now)))}
          />
        </div>
      </details>
      <Section title="Delete">
        <DeleteButton
          name={agent.body.name}
          action="Delete agent"
          remove={async () => await answered(api.DELETE("/v1/agents/{id}", { params: { path: { id } } }))}
          onDeleted={async () => {
            await navigate({ to: "/agents", search: {} });
            await client.invalidateQueries({ queryKey: ["agents"] });
          }}
        >
          <p>Running tasks finish. New tasks, schedules and webhooks can no longer use this agent.</p>
        </DeleteButton>
      </Section>
    </>
  );
}

function readAgent(draft: AgentDraft) {
  const read = readDraft(draft);
  return read.ok ? { ok: true as const, value: read.config } : read;
}

/** What is changed, by its titles; nothing while the form cannot be read. */
function changesBetween(start: AgentDraft, draft: AgentDraft) {
  const [before, after] = [configIn(start), configIn(draft)];
  return before === null || after === null ? [] : fieldChanges(before, after);
}

function configIn(draft: AgentDraft): AgentConfig | null {
  const read = readDraft(draft);
  return read.ok ? read.config : null;
}
