/** Adding a server, or changing how one is reached. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { FormEvent } from "react";
import { answered, api } from "../../api/client.ts";
import { toApiError } from "../../api/problem.ts";
import { useRequestKey } from "../../api/request-key.ts";
import { Button } from "../../ui/button.tsx";
import { CheckField, SelectField, TextField } from "../../ui/field.tsx";
import { Notice, ProblemNotice } from "../../ui/notice.tsx";
import { useToast } from "../../ui/toast.tsx";
import { ProcessFields, UrlFields } from "./access-fields.tsx";
import { bodyOf, faultOf, isPlaced, type ServerFields } from "./server-fields.ts";
import { keepServer } from "./server-queries.ts";

interface ServerFormProps {
  readonly fields: ServerFields;
  readonly onChange: (fields: ServerFields) => void;
  /** Forgets what was typed: headers and variables hold secrets. */
  readonly onSaved: () => void;
  readonly isNew: boolean;
  /** Names of other servers, which this one must not overwrite. */
  readonly taken: readonly string[];
}

export function ServerForm({ fields, onChange, onSaved, isNew, taken }: ServerFormProps) {
  const set = (change: Partial<ServerFields>): void => onChange({ ...fields, ...change });
  const secrets = useSecretNames();
  const saving = useSaving(isNew, onSaved);
  const faults = saving.isError ? toApiError(saving.error).fields : {};
  const isTaken = taken.includes(fields.name.trim());
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!saving.isPending && !isTaken) saving.mutate(fields);
  };
  const shared = { fields, set, faults, secrets };
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      {isNew ? (
        <TextField
          label="Name"
          required
          autoComplete="off"
          maxLength={40}
          value={fields.name}
          onChange={({ target }) => set({ name: target.value })}
          hint="Its tools are called by it: notes makes notes_search."
          error={isTaken ? "There is a server of this name. Open that one to change it." : faults["name"]}
        />
      ) : (
        <Notice title="Give the values again">
          What is sealed is never shown: headers, variables and a client’s secret have to be typed again. With another
          address, another command or another way to sign in, it counts as another server, and you accept its tools
          again.
        </Notice>
      )}
      <SelectField
        label="It is"
        value={fields.kind}
        onChange={({ target }) => set({ kind: target.value === "process" ? "process" : "url" })}
      >
        <option value="url">reached at an address</option>
        <option value="process">a program that Otto starts</option>
      </SelectField>
      {fields.kind === "url" ? <UrlFields {...shared} /> : <ProcessFields {...shared} />}
      <CheckField
        label="Trust this server's tool annotations"
        checked={fields.isTrusted}
        onChange={({ target }) => set({ isTrusted: target.checked })}
        hint="Otherwise each of its tools counts as dangerous, and a call is never made twice."
      />
      <TextField
        label="Seconds for one call"
        type="number"
        min={1}
        max={300}
        required
        className="max-w-40"
        value={fields.timeoutS}
        onChange={({ target }) => set({ timeoutS: target.value })}
        error={faultOf(faults, "timeout_ms")}
      />
      {saving.isError && !isPlaced(faults) ? <ProblemNotice error={saving.error} doing="Couldn't save" /> : null}
      <div className="flex flex-wrap items-center justify-end gap-3">
        {saving.isPending ? (
          <p role="status" className="text-quiet">
            Connecting, and reading its tools…
          </p>
        ) : null}
        <Button type="submit" look="primary" isBusy={saving.isPending}>
          {isNew ? "Add and connect" : "Save and connect"}
        </Button>
      </div>
    </form>
  );
}

function useSaving(isNew: boolean, onSaved: () => void) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const say = useToast();
  const { headersFor } = useRequestKey();
  return useMutation({
    mutationFn: async (fields: ServerFields) => {
      const body = bodyOf(fields);
      return await answered(api.POST("/v1/mcp-servers", { body, headers: headersFor(body) }));
    },
    onSuccess: async (server) => {
      await keepServer(queries, server);
      say(isNew ? `${server.name} is added.` : `${server.name} is set.`);
      await navigate({ to: "/mcp-servers/$name", params: { name: server.name }, search: {} });
      onSaved();
    },
  });
}

/** The names of the tenant's secrets; none for a key that may not read them. */
function useSecretNames(): readonly string[] {
  const { data } = useQuery({
    queryKey: ["secrets", "names"],
    queryFn: async () => (await answered(api.GET("/v1/secrets", { params: { query: { limit: 100 } } }))).data,
  });
  return data?.map(({ name }) => name) ?? [];
}
