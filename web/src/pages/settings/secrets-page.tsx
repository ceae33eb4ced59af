/** Secrets that tools send to the hosts they are meant for. A value goes in and is never shown again. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Lock } from "lucide-react";
import { useState } from "react";
import { agentName, agentsQuery } from "../../api/agents.ts";
import { answered, api } from "../../api/client.ts";
import { usePaged } from "../../api/paged.ts";
import type { Secret } from "../../api/types.generated.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { Listing } from "../../ui/listing.tsx";
import { Empty, ProblemNotice } from "../../ui/notice.tsx";
import { Page } from "../../ui/page.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { useToast } from "../../ui/toast.tsx";
import { SecretDialog } from "./secret-dialog.tsx";
import { describeBindings } from "./secret-fields.ts";

export function SecretsPage() {
  const list = usePaged<Secret>(
    ["secrets"],
    async (cursor) => await answered(api.GET("/v1/secrets", { params: { query: { cursor } } })),
  );
  const [editing, setEditing] = useState<Secret | "new" | null>(null);
  const [ending, setEnding] = useState<Secret | null>(null);
  const { data: agents } = useQuery(agentsQuery);
  const columns: readonly Column<Secret>[] = [
    { title: "Name", cell: ({ name }) => <span className="font-mono">{name}</span> },
    { title: "Sent only to", isMain: true, cell: ({ hosts }) => <span className="text-sm">{hosts.join(", ")}</span> },
    {
      title: "Used by",
      isMain: true,
      cell: (secret) => <span className="text-sm">{describeBindings(secret, (id) => agentName(agents, id))}</span>,
    },
    { title: "Changed", cell: ({ updated_at }) => <Time at={updated_at} /> },
    {
      title: "Actions",
      cell: (secret) => (
        <span className="flex gap-2">
          <Button size="small" onClick={() => setEditing(secret)} aria-label={`Change ${secret.name}`}>
            Change
          </Button>
          <Button size="small" look="danger" onClick={() => setEnding(secret)} aria-label={`Delete ${secret.name}`}>
            Delete
          </Button>
        </span>
      ),
    },
  ];
  const make = (
    <Button look="primary" icon={<Lock aria-hidden className="size-4" />} onClick={() => setEditing("new")}>
      New secret
    </Button>
  );
  return (
    <Page
      title="Secrets"
      lead="Tokens and passwords that tools need. They are kept sealed, reach only the hosts that you name, and never stand in a prompt, a log or an event."
      actions={make}
    >
      <Listing
        list={list}
        empty={
          <Empty title="No secrets yet" action={make}>
            Store one for an MCP server, an API of your own or an HTTP request. A tool names it as{" "}
            <code className="font-mono">{"{{secret.NAME}}"}</code>.
          </Empty>
        }
      >
        <Table caption="Secrets" columns={columns} rows={list.rows} rowKey={({ id }) => id} />
      </Listing>
      <SecretDialog secret={editing} onClose={() => setEditing(null)} />
      <DeleteSecret secret={ending} onClose={() => setEnding(null)} />
    </Page>
  );
}

function DeleteSecret({ secret, onClose }: { readonly secret: Secret | null; readonly onClose: () => void }) {
  const queries = useQueryClient();
  const say = useToast();
  const deleting = useMutation({
    mutationFn: async ({ name }: Secret) =>
      await answered(api.DELETE("/v1/secrets/{secret}", { params: { path: { secret: name } } })),
    onSuccess: async ({ name }) => {
      onClose();
      say(`“${name}” is deleted.`);
      await queries.invalidateQueries({ queryKey: ["secrets"] });
    },
  });
  return (
    <Confirm
      isOpen={secret !== null}
      title={`Delete “${secret?.name ?? ""}”?`}
      action="Delete the secret"
      isBusy={deleting.isPending}
      onConfirm={() => secret !== null && deleting.mutate(secret)}
      onClose={onClose}
    >
      <p>Whatever names it fails from now on. The value cannot be brought back.</p>
      {deleting.isError ? <ProblemNotice error={deleting.error} /> : null}
    </Confirm>
  );
}
