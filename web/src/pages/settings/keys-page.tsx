/** API keys: who holds which, what they allow, for whom they act, and the way to end one; and who is signed in with them. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { KeyRound, Link2 } from "lucide-react";
import { useState } from "react";
import { agentName, agentsQuery } from "../../api/agents.ts";
import { answered, api } from "../../api/client.ts";
import { usePaged } from "../../api/paged.ts";
import { sessionQuery } from "../../api/session.ts";
import type { Key, NewKey } from "../../api/types.generated.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { Listing } from "../../ui/listing.tsx";
import { Empty, ProblemNotice } from "../../ui/notice.tsx";
import { Page } from "../../ui/page.tsx";
import { SecretOnce } from "../../ui/secret-once.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { useToast } from "../../ui/toast.tsx";
import { BindKeyDialog } from "./bind-key-dialog.tsx";
import { describeKeyBounds } from "./key-bounds.ts";
import { NewKeyDialog } from "./new-key-dialog.tsx";
import { mayInWords } from "./scopes.ts";
import { SignInLinkDialog } from "./sign-in-link-dialog.tsx";
import { WhoIsSignedIn } from "./signed-in.tsx";
import { Name } from "../../ui/name.tsx";

export function KeysPage() {
  const list = usePaged<Key>(
    ["keys"],
    async (cursor) => await answered(api.GET("/v1/keys", { params: { query: { cursor } } })),
  );
  const [isMaking, setMaking] = useState(false);
  const [made, setMade] = useState<readonly NewKey[]>([]);
  const [isLinking, setLinking] = useState(false);
  const [ending, setEnding] = useState<Key | null>(null);
  const [binding, setBinding] = useState<Key | null>(null);
  const { data: session } = useQuery(sessionQuery);
  const { data: agents } = useQuery(agentsQuery);
  const [now] = useState(Date.now);
  const columns: readonly Column<Key>[] = [
    {
      title: "Name",
      isMain: true,
      cell: ({ id, name }) => (
        <>
          <Name className="font-medium">{name}</Name>{" "}
          {session?.key.id === id ? <Badge tone="accent">Yours</Badge> : null}
          <span className="block font-mono text-xs text-quiet">{id}</span>
        </>
      ),
    },
    {
      title: "May",
      cell: (key) => (
        <>
          <span className="block text-sm sm:min-w-52">{mayInWords(key.scopes)}</span>
          <span className="block text-sm [overflow-wrap:anywhere] text-quiet">
            {describeKeyBounds(key, (id) => agentName(agents, id))}
          </span>
        </>
      ),
    },
    {
      title: "Person",
      cell: ({ person }) => (person === null ? <span className="text-quiet">Nobody</span> : <Name>{person.name}</Name>),
    },
    { title: "Created", cell: ({ created_at }) => <Time at={created_at} /> },
    { title: "State", cell: (key) => <KeyState apiKey={key} now={now} /> },
    {
      title: "Actions",
      cell: (key) =>
        key.revoked_at === null ? (
          <div className="flex flex-wrap gap-2">
            <Button size="small" onClick={() => setBinding(key)} aria-label={`Bind ${key.name} to a person`}>
              Bind
            </Button>
            <Button size="small" look="danger" onClick={() => setEnding(key)} aria-label={`Revoke ${key.name}`}>
              Revoke
            </Button>
          </div>
        ) : null,
    },
  ];
  const make = (
    <Button look="primary" icon={<KeyRound aria-hidden className="size-4" />} onClick={() => setMaking(true)}>
      New key
    </Button>
  );
  return (
    <Page
      title="Keys"
      lead="Programs come in with a key, and people sign in with one. A revoked key is dead everywhere within seconds, with every session that it opened."
      actions={
        <>
          <Button icon={<Link2 aria-hidden className="size-4" />} onClick={() => setLinking(true)}>
            Sign-in link
          </Button>
          {make}
        </>
      }
    >
      {made.map(({ id, name, key }) => (
        <SecretOnce
          key={id}
          secret={key}
          name="the key"
          onDone={() => setMade((old) => old.filter((other) => other.id !== id))}
        >
          It is the key of “<Name>{name}</Name>”.
        </SecretOnce>
      ))}
      <Listing
        list={list}
        empty={
          <Empty title="No keys to show" action={make}>
            Create one for each program, with no more scopes than it needs.
          </Empty>
        }
      >
        <Table caption="API keys" columns={columns} rows={list.rows} rowKey={({ id }) => id} />
      </Listing>
      {/* Below a list that is still read, it would be moved. */}
      {list.isLoading ? null : <WhoIsSignedIn isAdmin={session?.scopes.includes("admin") ?? false} />}
      <NewKeyDialog
        isOpen={isMaking}
        onMade={(key) => setMade((old) => [key, ...old])}
        onClose={() => setMaking(false)}
      />
      <SignInLinkDialog isOpen={isLinking} onClose={() => setLinking(false)} />
      <BindKeyDialog apiKey={binding} onClose={() => setBinding(null)} />
      <RevokeKey apiKey={ending} isOwn={ending?.id === session?.key.id} onClose={() => setEnding(null)} />
    </Page>
  );
}

function KeyState({ apiKey: { revoked_at, expires_at }, now }: { readonly apiKey: Key; readonly now: number }) {
  if (revoked_at !== null) return <Badge tone="danger">Revoked</Badge>;
  if (expires_at === null) return <Badge tone="good">Active</Badge>;
  return Date.parse(expires_at) <= now ? (
    <Badge tone="plain">Expired</Badge>
  ) : (
    <span>
      Ends <Time at={expires_at} />
    </span>
  );
}

function RevokeKey({
  apiKey,
  isOwn,
  onClose,
}: {
  readonly apiKey: Key | null;
  readonly isOwn: boolean;
  readonly onClose: () => void;
}) {
  const queries = useQueryClient();
  const say = useToast();
  const revoking = useMutation({
    mutationFn: async (id: string) => await answered(api.DELETE("/v1/keys/{id}", { params: { path: { id } } })),
    onSuccess: async ({ name }) => {
      onClose();
      say(`“${name}” is revoked.`);
      await queries.invalidateQueries({ queryKey: ["keys"] });
      await queries.invalidateQueries({ queryKey: ["sessions"] });
      await queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
    },
  });
  return (
    <Confirm
      isOpen={apiKey !== null}
      title={`Revoke “${apiKey?.name ?? ""}”?`}
      action="Revoke the key"
      isBusy={revoking.isPending}
      onConfirm={() => apiKey !== null && revoking.mutate(apiKey.id)}
      onClose={onClose}
    >
      <p>Whatever uses it is refused from now on, and it cannot be brought back.</p>
      {isOwn ? (
        <p className="font-medium text-danger">You are signed in with this key: you will be signed out.</p>
      ) : null}
      {revoking.isError ? <ProblemNotice error={revoking.error} /> : null}
    </Confirm>
  );
}
