/** The tenant's own Composio key: whose key serves, saving one and removing it. For administrators. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Trash2 } from "lucide-react";
import { type FormEvent, useState } from "react";
import { answered, api } from "../../api/client.ts";
import { toApiError } from "../../api/problem.ts";
import { sessionQuery } from "../../api/session.ts";
import type { ProviderKeyStatus } from "../../api/types.generated.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import { ProblemNotice } from "../../ui/notice.tsx";
import { Section } from "../../ui/page.tsx";
import { useToast } from "../../ui/toast.tsx";
import { Time } from "../../ui/time.tsx";
import { marketplaceKey, providerKeyQuery } from "./app-queries.ts";
import { describeExpired, describeServedBy } from "./provider-key-words.ts";

export function ProviderKey() {
  const { data: session } = useQuery(sessionQuery);
  return session?.scopes.includes("admin") === true ? <KeySection /> : null;
}

function KeySection() {
  const { data, error, refetch } = useQuery(providerKeyQuery);
  if (data === undefined)
    return error === null ? null : (
      <ProblemNotice error={error} doing="Couldn't load the Composio key" onRetry={() => void refetch()} />
    );
  return (
    <Section title="Composio key">
      <p className="max-w-prose text-sm text-quiet">{describeServedBy(data)}</p>
      {data.own_key === null ? null : (
        <p className="text-sm">
          Saved <Time at={data.own_key.created_at} />
          {data.own_key.refused_at === null ? "." : ". Composio refused it in the last sync: save a valid one."}
        </p>
      )}
      <div className="flex flex-wrap items-end gap-2">
        <KeyForm hasKey={data.own_key !== null} />
        {data.own_key === null ? null : <RemoveKey status={data} />}
      </div>
    </Section>
  );
}

/** What follows a change: other apps, accounts and states. */
function useChanged() {
  const queries = useQueryClient();
  return async () => {
    await queries.invalidateQueries({ queryKey: marketplaceKey });
    await queries.invalidateQueries({ queryKey: ["connections"] });
  };
}

function KeyForm({ hasKey }: { readonly hasKey: boolean }) {
  const say = useToast();
  const changed = useChanged();
  const [value, setValue] = useState("");
  const saving = useMutation({
    mutationFn: async () => await answered(api.PUT("/v1/integrations/composio", { body: { api_key: value } })),
    onSuccess: async ({ expired_connections: expired }) => {
      setValue("");
      say(`The key is saved.${describeExpired(expired)}`);
      await changed();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!saving.isPending) saving.mutate();
  };
  const fault = saving.isError ? toApiError(saving.error) : null;
  return (
    <form onSubmit={submit} className="flex min-w-0 flex-1 basis-72 flex-col gap-2">
      <TextField
        label={hasKey ? "Another key of your project" : "Key of your project"}
        type="password"
        autoComplete="off"
        required
        value={value}
        onChange={({ target }) => setValue(target.value)}
        hint="It is checked at Composio, and not shown again. Accounts that another key connected have to be connected again."
        error={fault === null ? undefined : (fault.fields["api_key"] ?? fault.message)}
      />
      <Button type="submit" className="self-start" isBusy={saving.isPending}>
        {hasKey ? "Replace key" : "Save key"}
      </Button>
    </form>
  );
}

function RemoveKey({ status }: { readonly status: ProviderKeyStatus }) {
  const say = useToast();
  const changed = useChanged();
  const [isAsking, setAsking] = useState(false);
  const removing = useMutation({
    mutationFn: async () => await answered(api.DELETE("/v1/integrations/composio")),
    onSuccess: async ({ expired_connections: expired }) => {
      setAsking(false);
      say(`The key is removed.${describeExpired(expired)}`);
      await changed();
    },
  });
  return (
    <>
      <Button look="danger" icon={<Trash2 aria-hidden className="size-4" />} onClick={() => setAsking(true)}>
        Remove key
      </Button>
      <Confirm
        isOpen={isAsking}
        title="Remove the Composio key?"
        action="Remove the key"
        isBusy={removing.isPending}
        onConfirm={() => removing.mutate()}
        onClose={() => setAsking(false)}
      >
        <p>
          Accounts that it connected stop working in Otto, and stay in your project at Composio.{" "}
          {status.has_operator_key
            ? "The operator's key serves again."
            : "Apps by Composio cannot be connected until another key is saved."}
        </p>
        {removing.isError ? <ProblemNotice error={removing.error} doing="Couldn't remove the key" /> : null}
      </Confirm>
    </>
  );
}
