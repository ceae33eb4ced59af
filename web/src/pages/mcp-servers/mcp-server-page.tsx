import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { Pencil, RefreshCw, Trash2 } from "lucide-react";
import { useState } from "react";
import { answered, api } from "../../api/client.ts";
import type { McpServerDetail } from "../../api/types.generated.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm, Dialog } from "../../ui/dialog.tsx";
import { ProblemNotice, Skeleton } from "../../ui/notice.tsx";
import { Page } from "../../ui/page.tsx";
import { useToast } from "../../ui/toast.tsx";
import { ServerAccess } from "./server-access.tsx";
import { fieldsOf, type ServerFields } from "./server-fields.ts";
import { ServerForm } from "./server-form.tsx";
import { useLook } from "./look.ts";
import { serverQuery, serversQuery } from "./server-queries.ts";
import { ServerBadge } from "./server-state.tsx";
import { ServerTools } from "./server-tools.tsx";
import { ToolChanges } from "./tool-changes.tsx";
import { ServerTrouble } from "./server-trouble.tsx";

export function McpServerPage() {
  const { name } = useParams({ from: "/console/mcp-servers/$name" });
  const { data: server, error, isPending, refetch } = useQuery(serverQuery(name));
  return (
    <Page
      title={name}
      lead={server === undefined ? undefined : <ServerBadge status={server.status} />}
      actions={server === undefined ? null : <ServerActions server={server} />}
    >
      {isPending ? <Skeleton rows={4} height="h-20" /> : null}
      {error === null ? null : <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {server === undefined ? null : (
        <>
          <ServerTrouble server={server} />
          <ToolChanges server={server} />
          <ServerTools server={server} />
          <ServerAccess server={server} />
          <EditServer key={name} server={server} />
        </>
      )}
    </Page>
  );
}

function ServerActions({ server: { name } }: { readonly server: McpServerDetail }) {
  const navigate = useNavigate({ from: "/mcp-servers/$name" });
  const say = useToast();
  const look = useLook(name);
  const [isDeleting, setDeleting] = useState(false);
  return (
    <>
      <Button
        icon={<RefreshCw aria-hidden className="size-4" />}
        isBusy={look.isPending}
        onClick={() => look.mutate(undefined, { onSuccess: () => say(`${name} refreshed.`) })}
      >
        Refresh
      </Button>
      <Button
        icon={<Pencil aria-hidden className="size-4" />}
        onClick={() => void navigate({ search: { edit: true } })}
      >
        Change
      </Button>
      <Button look="danger" icon={<Trash2 aria-hidden className="size-4" />} onClick={() => setDeleting(true)}>
        Remove
      </Button>
      {look.isError ? <ProblemNotice error={look.error} doing="Couldn't refresh" /> : null}
      <RemoveServer name={name} isOpen={isDeleting} onClose={() => setDeleting(false)} />
    </>
  );
}

function EditServer({ server }: { readonly server: McpServerDetail }) {
  const { edit = false } = useSearch({ from: "/console/mcp-servers/$name" });
  const navigate = useNavigate({ from: "/mcp-servers/$name" });
  // Kept here, so that a window that was closed by mistake opens with what was typed.
  const [typed, setTyped] = useState<ServerFields | null>(null);
  return (
    <Dialog isOpen={edit} title={`Change ${server.name}`} onClose={() => void navigate({ search: {} })} isWide>
      <ServerForm
        fields={typed ?? fieldsOf(server)}
        onChange={setTyped}
        onSaved={() => setTyped(null)}
        isNew={false}
        taken={[]}
      />
    </Dialog>
  );
}

interface RemoveServerProps {
  readonly name: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function RemoveServer({ name, isOpen, onClose }: RemoveServerProps) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const say = useToast();
  const removing = useMutation({
    mutationFn: async () => await answered(api.DELETE("/v1/mcp-servers/{name}", { params: { path: { name } } })),
    onSuccess: async () => {
      say(`${name} is removed.`);
      await navigate({ to: "/mcp-servers" });
      queries.removeQueries({ queryKey: serverQuery(name).queryKey });
      await queries.invalidateQueries({ queryKey: serversQuery.queryKey });
      await queries.invalidateQueries({ queryKey: ["tools"] });
    },
  });
  return (
    <Confirm
      isOpen={isOpen}
      title={`Remove ${name}?`}
      action="Remove the server"
      isBusy={removing.isPending}
      onConfirm={() => removing.mutate()}
      onClose={onClose}
    >
      <p>Agents lose its tools. Running tasks get an error when they call them. Headers and tokens are deleted.</p>
      {removing.isError ? <ProblemNotice error={removing.error} /> : null}
    </Confirm>
  );
}
