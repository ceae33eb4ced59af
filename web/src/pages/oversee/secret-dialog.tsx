import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { answered, api } from "../../api/client.ts";
import { toApiError } from "../../api/problem.ts";
import { useRequestKey } from "../../api/request-key.ts";
import type { Secret } from "../../api/types.generated.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextArea, TextField } from "../../ui/field.tsx";
import { ProblemNotice } from "../../ui/notice.tsx";
import { useToast } from "../../ui/toast.tsx";

/** Makes a secret (`"new"`) or gives one another value and other hosts. */
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
  const [hosts, setHosts] = useState(secret?.hosts.join("\n") ?? "");
  const { headersFor } = useRequestKey();
  const saving = useMutation({
    mutationFn: async () => {
      const list = hosts.split(/[\s,]+/).filter((host) => host !== "");
      const body = { name, value, hosts: list };
      return secret === null
        ? await answered(api.POST("/v1/secrets", { body, headers: headersFor(body) }))
        : await answered(
            api.PUT("/v1/secrets/{secret}", { params: { path: { secret: secret.id } }, body: { value, hosts: list } }),
          );
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
        onChange={({ target }) => setHosts(target.value)}
        hint="One a line, such as api.example.com: it is sent to these alone."
        error={faults["hosts"]}
      />
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
