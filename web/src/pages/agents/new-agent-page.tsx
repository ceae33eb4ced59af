/** A new agent: by the form, or of a file. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { answered, api } from "../../api/client.ts";
import { toApiError } from "../../api/problem.ts";
import { useRequestKey } from "../../api/request-key.ts";
import type { Agent } from "../../api/types.generated.ts";
import { Button } from "../../ui/button.tsx";
import { useDraft } from "../../ui/draft.ts";
import { ProblemNotice } from "../../ui/notice.tsx";
import { Page } from "../../ui/page.tsx";
import { useToast } from "../../ui/toast.tsx";
import type { AgentConfig } from "./agent-config.ts";
import { draftOf, NEW_AGENT, readDraft } from "./agent-draft.ts";
import { AgentForm } from "./agent-form.tsx";
import { YamlForm } from "./agent-yaml.tsx";

const EMPTY = draftOf(NEW_AGENT);

export function NewAgentPage() {
  const navigate = useNavigate();
  const client = useQueryClient();
  const say = useToast();
  const [draft, setDraft, forget] = useDraft("agent new", EMPTY);
  const [isTried, setTried] = useState(false);
  const { headersFor } = useRequestKey();
  const made = async ({ id, name }: Agent): Promise<void> => {
    forget();
    await client.invalidateQueries({ queryKey: ["agents"] });
    await navigate({ to: "/agents/$agentId", params: { agentId: id } });
    say(`${name} is made.`);
  };
  const making = useMutation({
    mutationFn: async (body: AgentConfig) =>
      await answered(api.POST("/v1/agents", { body, headers: headersFor(body) })),
    onSuccess: made,
  });
  const read = readDraft(draft);
  const submit = (): void => {
    setTried(true);
    if (read.ok && !making.isPending) making.mutate(read.config);
  };
  const refused = making.isError ? toApiError(making.error).fields : {};
  const faults = { ...refused, ...(read.ok || !isTried ? {} : read.faults) };
  return (
    <Page title="New agent" lead="Give it what its work needs and no more. Everything can be changed later.">
      <details className="rounded-lg border border-line bg-surface">
        <summary className="px-4 py-2.5 font-medium">From a YAML file</summary>
        <div className="border-t border-line p-4">
          <YamlForm of={null} onMade={(agent) => void made(agent)} />
        </div>
      </details>
      <AgentForm draft={draft} faults={faults} set={(change) => setDraft({ ...draft, ...change })} onSubmit={submit}>
        {making.isError ? <ProblemNotice error={making.error} doing="Couldn't create the agent" /> : null}
        {read.ok || !isTried ? null : <p className="text-danger">Some fields cannot be read yet; look above.</p>}
        <div className="flex flex-wrap gap-2">
          <Button type="submit" look="primary" isBusy={making.isPending}>
            Create agent
          </Button>
          <Button
            look="quiet"
            onClick={() => {
              setDraft(EMPTY);
              forget();
            }}
          >
            Start over
          </Button>
        </div>
      </AgentForm>
    </Page>
  );
}
