/** Returns an agent to one of its earlier versions: a new version with the content of that one. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { answeredWithTag, api } from "../../api/client.ts";
import type { Agent, AgentVersion } from "../../api/types.generated.ts";
import { Button } from "../../ui/button.tsx";
import type { Tagged } from "../../ui/edit.ts";
import { ProblemNotice } from "../../ui/notice.tsx";
import { useToast } from "../../ui/toast.tsx";
import { configOfAgent } from "./agent-config.ts";
import { agentQuery } from "./agent-queries.ts";

export interface RestoreProps {
  readonly agent: Tagged<Agent>;
  readonly version: AgentVersion;
  /** Shows what the new version changed. */
  readonly onRestored: (search: { readonly from: number; readonly to: number }) => void;
}

/** One click, since the next version can be returned to as well. The name stays, by which schedules and webhooks know the agent. */
export function RestoreVersion({ agent: { body: now, etag }, version, onRestored }: RestoreProps) {
  const client = useQueryClient();
  const say = useToast();
  const restoring = useMutation({
    mutationFn: async () => {
      const header = etag === null ? {} : { "if-match": etag };
      const body = { ...configOfAgent(version), name: now.name };
      return (await answeredWithTag(api.PUT("/v1/agents/{id}", { params: { path: { id: now.id }, header }, body })))
        .body;
    },
    onSuccess: async (restored) => {
      const isSame = restored.version === now.version;
      say(
        isSame
          ? `Version ${now.version} has the content of version ${version.version} already.`
          : `Created version ${restored.version} with the content of version ${version.version}. Running tasks keep theirs.`,
      );
      await client.invalidateQueries({ queryKey: ["agents"] });
      if (!isSame) onRestored({ from: now.version, to: restored.version });
    },
    // Somebody else changed it: the newest version is read, and the person sees it before another click.
    onError: async () => await client.invalidateQueries({ queryKey: agentQuery(now.id).queryKey }),
  });
  return (
    <>
      <Button
        size="small"
        aria-label={`Restore version ${version.version}`}
        isBusy={restoring.isPending}
        onClick={() => restoring.mutate()}
      >
        Restore
      </Button>
      {restoring.isError ? <ProblemNotice error={restoring.error} doing="Couldn't restore" /> : null}
    </>
  );
}
