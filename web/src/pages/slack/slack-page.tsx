/** The Slack workspaces that reach this tenant: the app's manifest, an installation by OAuth or by a token, and the way out. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { MessagesSquare } from "lucide-react";
import { useState } from "react";
import { answered, api } from "../../api/client.ts";
import { usePaged } from "../../api/paged.ts";
import { toApiError } from "../../api/problem.ts";
import { useRequestKey } from "../../api/request-key.ts";
import type { SlackInstall } from "../../api/types.generated.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { CodeBlock } from "../../ui/code.tsx";
import { Confirm, Dialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { Listing } from "../../ui/listing.tsx";
import { Empty, ProblemNotice, Skeleton } from "../../ui/notice.tsx";
import { ReceivedList } from "../../received/received-list.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { useToast } from "../../ui/toast.tsx";
import { visibleText } from "../../ui/visible-text.ts";
import { Name } from "../../ui/name.tsx";

export function SlackPage() {
  const list = usePaged<SlackInstall>(
    ["slack"],
    async (cursor) => await answered(api.GET("/v1/slack/installs", { params: { query: { cursor } } })),
  );
  const [ending, setEnding] = useState<SlackInstall | null>(null);
  const [isPasting, setPasting] = useState(false);
  const columns: readonly Column<SlackInstall>[] = [
    {
      title: "Workspace",
      isMain: true,
      cell: ({ team, team_name }) => (
        <>
          <Name className="font-medium">{team_name}</Name> <span className="font-mono text-xs text-quiet">{team}</span>
        </>
      ),
    },
    {
      title: "State",
      cell: ({ status }) =>
        status === "active" ? <Badge tone="good">Active</Badge> : <Badge tone="danger">Revoked</Badge>,
    },
    { title: "Installed", cell: ({ created_at }) => <Time at={created_at} /> },
    {
      title: "Actions",
      cell: (install) => (
        <Button
          size="small"
          look="danger"
          onClick={() => setEnding(install)}
          aria-label={`Forget ${install.team_name}`}
        >
          Forget
        </Button>
      ),
    },
  ];
  const beginning = useMutation({
    mutationFn: async () => await answered(api.POST("/v1/slack/authorize")),
    // Slack's own page asks the person, and comes back to this Otto.
    onSuccess: ({ url }) => window.location.assign(url),
  });
  const add = (
    <>
      <Button
        look="primary"
        icon={<MessagesSquare aria-hidden className="size-4" />}
        isBusy={beginning.isPending}
        onClick={() => beginning.mutate()}
      >
        Install in Slack
      </Button>
      <Button onClick={() => setPasting(true)}>Use a bot token</Button>
    </>
  );
  return (
    <Page
      title="Slack"
      lead="People mention Otto in a channel or write to it directly; it answers in the thread, asks with buttons, and hands over files."
      actions={add}
    >
      {beginning.isError ? <ProblemNotice error={beginning.error} doing="Couldn't ask Slack" /> : null}
      <Listing
        list={list}
        empty={
          <Empty title="No workspace yet">
            Make a Slack app of the manifest below, then install it in your workspace, or paste the token of a bot that
            was installed by hand.
          </Empty>
        }
      >
        <Table caption="Slack workspaces" columns={columns} rows={list.rows} rowKey={({ id }) => id} />
      </Listing>
      {list.rows
        .filter(({ status }) => status === "active")
        .map((install) => (
          <Section key={install.id} title={`What came from “${visibleText(install.team_name)}”`}>
            <Received id={install.id} />
          </Section>
        ))}
      <Manifest />
      <Dialog isOpen={isPasting} title="Use a bot token" onClose={() => setPasting(false)}>
        <TokenForm onClose={() => setPasting(false)} />
      </Dialog>
      <Forget install={ending} onClose={() => setEnding(null)} />
    </Page>
  );
}

function Received({ id }: { readonly id: string }) {
  return (
    <ReceivedList
      queryKey={["slack", "received", id]}
      read={async (cursor) =>
        await answered(api.GET("/v1/slack/installs/{id}/received", { params: { path: { id }, query: { cursor } } }))
      }
      again={async (message, headers) =>
        await answered(
          api.POST("/v1/slack/installs/{id}/received/{message}/replay", { params: { path: { id, message } }, headers }),
        )
      }
      caption="What came from Slack"
      empty={
        <Empty title="No messages yet">
          Mention Otto in a channel, or write to it: messages of the last 30 days appear here, with their task or the
          reason why they have none.
        </Empty>
      }
    />
  );
}

function TokenForm({ onClose }: { readonly onClose: () => void }) {
  const queries = useQueryClient();
  const say = useToast();
  const [token, setToken] = useState("");
  const { headersFor } = useRequestKey();
  const adding = useMutation({
    mutationFn: async () => {
      const body = { bot_token: token.trim() };
      return await answered(api.POST("/v1/slack/installs", { body, headers: headersFor(body) }));
    },
    onSuccess: async ({ team_name }) => {
      onClose();
      say(`“${team_name}” is connected.`);
      await queries.invalidateQueries({ queryKey: ["slack"] });
    },
  });
  return (
    <Form onSubmit={() => !adding.isPending && adding.mutate()} className="flex flex-col gap-4">
      <TextField
        label="Bot token"
        type="password"
        autoComplete="off"
        required
        value={token}
        onChange={({ target }) => setToken(target.value)}
        hint="It begins with xoxb-. It is kept sealed and not shown again."
        error={adding.isError ? toApiError(adding.error).fields["bot_token"] : null}
      />
      {adding.isError ? <ProblemNotice error={adding.error} doing="Couldn't connect" /> : null}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button look="primary" type="submit" isBusy={adding.isPending}>
          Connect
        </Button>
      </div>
    </Form>
  );
}

function Manifest() {
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ["slack", "manifest"],
    queryFn: async () => await answered(api.GET("/v1/slack/manifest")),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Section title="The app’s manifest">
      <p className="text-quiet">
        In Slack’s list of apps choose “From a manifest”, and paste this: the events, commands and rights that Otto
        needs, at this address.
      </p>
      {isPending ? <Skeleton rows={1} height="h-64" /> : null}
      {error ? <ProblemNotice error={error} onRetry={() => void refetch()} /> : null}
      {data === undefined ? null : <CodeBlock text={data.yaml} label="the manifest" />}
    </Section>
  );
}

function Forget({ install, onClose }: { readonly install: SlackInstall | null; readonly onClose: () => void }) {
  const queries = useQueryClient();
  const say = useToast();
  const forgetting = useMutation({
    mutationFn: async (id: string) =>
      await answered(api.DELETE("/v1/slack/installs/{id}", { params: { path: { id } } })),
    onSuccess: async ({ team_name }) => {
      onClose();
      say(`“${team_name}” is forgotten.`);
      await queries.invalidateQueries({ queryKey: ["slack"] });
    },
  });
  return (
    <Confirm
      isOpen={install !== null}
      title={`Forget “${install?.team_name ?? ""}”?`}
      action="Forget it"
      isBusy={forgetting.isPending}
      onConfirm={() => install !== null && forgetting.mutate(install.id)}
      onClose={onClose}
    >
      <p>Its token is erased, and what comes from there is refused. What waits to be sent there is given up.</p>
      {forgetting.isError ? <ProblemNotice error={forgetting.error} /> : null}
    </Confirm>
  );
}
