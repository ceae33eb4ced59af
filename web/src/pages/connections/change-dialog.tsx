/** Renames a connection, makes it the default, and says how its owner lets it be used. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { answered, api } from "../../api/client.ts";
import { toApiError } from "../../api/problem.ts";
import type { Connection, ConnectionChangeInput } from "../../api/types.generated.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { faultIn } from "../../ui/faults.ts";
import { CheckField, TextField } from "../../ui/field.tsx";
import { UnattendedField } from "./unattended-field.tsx";
import { Form } from "../../ui/form.tsx";
import { ProblemNotice } from "../../ui/notice.tsx";
import { useToast } from "../../ui/toast.tsx";
import { MAX_ALIAS } from "./connect-dialog.tsx";
import { connectionsKey } from "./connection-queries.ts";
import { changeOf, fieldsOf } from "./connection-words.ts";

interface ChangeDialogProps {
  /** Null: closed. */
  readonly connection: Connection | null;
  readonly onClose: () => void;
}

export function ChangeDialog({ connection, onClose }: ChangeDialogProps) {
  const name = connection?.label ?? connection?.app ?? "";
  return (
    <Dialog isOpen={connection !== null} title={`Change ${name}`} onClose={onClose}>
      {connection === null ? null : <ChangeForm connection={connection} onClose={onClose} />}
    </Dialog>
  );
}

function ChangeForm({ connection, onClose }: ChangeDialogProps & { readonly connection: Connection }) {
  const [fields, setFields] = useState(() => fieldsOf(connection));
  const set = (change: Partial<typeof fields>): void => setFields({ ...fields, ...change });
  const saving = useSaving(connection.id, onClose);
  const faults = saving.isError ? toApiError(saving.error).fields : {};
  const submit = (): void => {
    const change = changeOf(connection, fields);
    if (change === null) onClose();
    else if (!saving.isPending) saving.mutate(change);
  };
  return (
    <Form onSubmit={submit} className="flex flex-col gap-4">
      <TextField
        label="Name (optional)"
        hint="Tells several accounts of one app apart."
        maxLength={MAX_ALIAS}
        autoComplete="off"
        value={fields.alias}
        onChange={({ target }) => set({ alias: target.value })}
        error={faultIn(faults, "alias")}
      />
      <CheckField
        label="Default"
        hint={
          connection.is_default
            ? "Tasks use this account of the app. To change that, make another one the default."
            : "Tasks use this account of the app instead of the present default."
        }
        checked={fields.isDefault}
        disabled={connection.is_default}
        onChange={({ target }) => set({ isDefault: target.checked })}
        error={faultIn(faults, "is_default")}
      />
      {connection.owner.kind === "shared" ? null : (
        <>
          <UnattendedField
            isUnattended={fields.isUnattended}
            onChange={(isUnattended) => set({ isUnattended })}
            error={faultIn(faults, "unattended")}
          />
          <CheckField
            label="Others may approve"
            hint="Where the agent asks, anyone who may approve decides in your place. Once others write to your task, only you decide."
            checked={fields.delegates}
            onChange={({ target }) => set({ delegates: target.checked })}
            error={faultIn(faults, "delegate_approvals")}
          />
        </>
      )}
      {saving.isError ? <ProblemNotice error={saving.error} doing="Couldn't save" /> : null}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" isBusy={saving.isPending}>
          Save
        </Button>
      </div>
    </Form>
  );
}

function useSaving(id: string, onClose: () => void) {
  const queries = useQueryClient();
  const say = useToast();
  return useMutation({
    mutationFn: async (body: ConnectionChangeInput) =>
      await answered(api.PATCH("/v1/connections/{id}", { params: { path: { id } }, body })),
    onSuccess: async () => {
      onClose();
      say("The connection is saved.");
      await queries.invalidateQueries({ queryKey: connectionsKey });
    },
  });
}
