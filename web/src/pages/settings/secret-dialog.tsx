import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { agentName, agentsQuery } from "../../api/agents.ts";
import { answered, api } from "../../api/client.ts";
import { toApiError } from "../../api/problem.ts";
import { useRequestKey } from "../../api/request-key.ts";
import type { Secret } from "../../api/types.generated.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { faultIn } from "../../ui/faults.ts";
import { CheckField, TextArea, TextField } from "../../ui/field.tsx";
import { ProblemNotice } from "../../ui/notice.tsx";
import { useToast } from "../../ui/toast.tsx";
import { SECRET_METHODS, type SecretDraft, toBindings, toSecretDraft } from "./secret-fields.ts";

/** Makes a secret (`"new"`) or replaces the value and the bindings of one. */
export function SecretDialog({
  secret,
  onClose,
}: {
  readonly secret: Secret | "new" | null;
  readonly onClose: () => void;
}) {
  const title = secret === "new" || secret === null ? "New secret" : `Change “${secret.name}”`;
  return (
    <Dialog isOpen={secret !== null} title={title} onClose={onClose}>
      <SecretForm secret={secret === "new" ? null : secret} onClose={onClose} />
    </Dialog>
  );
}

function SecretForm({ secret, onClose }: { readonly secret: Secret | null; readonly onClose: () => void }) {
  const queries = useQueryClient();
  const say = useToast();
  const [name, setName] = useState(secret?.name ?? "");
  const [value, setValue] = useState("");
  const { data: agents } = useQuery(agentsQuery);
  // Null until a field is changed: the names of agents may be read later than the form opens.
  const [changed, setChanged] = useState<SecretDraft | null>(null);
  const draft = changed ?? toSecretDraft(secret, (id) => agentName(agents, id));
  const { hosts, methods } = draft;
  const { headersFor } = useRequestKey();
  const saving = useMutation({
    mutationFn: async () => {
      const setting = { value, ...toBindings(draft) };
      const body = { name, ...setting };
      return secret === null
        ? await answered(api.POST("/v1/secrets", { body, headers: headersFor(body) }))
        : await answered(api.PUT("/v1/secrets/{secret}", { params: { path: { secret: secret.name } }, body: setting }));
    },
    onSuccess: async ({ name: kept }) => {
      onClose();
      say(`“${kept}” is saved.`);
      await queries.invalidateQueries({ queryKey: ["secrets"] });
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!saving.isPending) saving.mutate();
  };
  const faults = saving.isError ? toApiError(saving.error).fields : {};
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      {secret === null ? (
        <TextField
          label="Name"
          required
          autoComplete="off"
          value={name}
          onChange={({ target }) => setName(target.value)}
          error={faults["name"]}
        />
      ) : null}
      <TextField
        label="Value"
        type="password"
        autoComplete="off"
        required
        value={value}
        onChange={({ target }) => setValue(target.value)}
        hint="It is not shown again."
        error={faults["value"]}
      />
      <TextArea
        label="Hosts"
        required
        rows={2}
        value={hosts}
        onChange={({ target }) => setChanged({ ...draft, hosts: target.value })}
        hint="One per line, such as api.example.com. The value is sent only to these hosts."
        error={faultIn(faults, "hosts")}
      />
      <TextArea
        label="Agents"
        rows={2}
        value={draft.agents}
        onChange={({ target }) => setChanged({ ...draft, agents: target.value })}
        hint="One name per line. Leave empty to allow all your agents, and the built-in agent except in tasks from webhooks and mail."
        error={faultIn(faults, "agents")}
      />
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1 text-sm font-medium">Methods</legend>
        <p className="text-sm text-quiet">Check none to allow all methods.</p>
        <div className="flex flex-wrap gap-x-4 gap-y-1">
          {SECRET_METHODS.map((method) => (
            <CheckField
              key={method}
              label={method}
              checked={methods.includes(method)}
              onChange={({ target }) =>
                setChanged({
                  ...draft,
                  methods: SECRET_METHODS.filter((one) => (one === method ? target.checked : methods.includes(one))),
                })
              }
            />
          ))}
        </div>
      </fieldset>
      {saving.isError ? <ProblemNotice error={saving.error} /> : null}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button look="primary" type="submit" isBusy={saving.isPending}>
          Save
        </Button>
      </div>
    </form>
  );
}
