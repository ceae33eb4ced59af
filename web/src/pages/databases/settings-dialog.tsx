/** Changes what queries of a database may read, their limits, and whether its role may write. */
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { toApiError } from "../../api/problem.ts";
import type { Database, DatabaseChangeInput } from "../../api/types.generated.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { CheckField } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { ProblemNotice } from "../../ui/notice.tsx";
import { useToast } from "../../ui/toast.tsx";
import { toSettings, toSettingsDraft } from "./settings-draft.ts";
import { SettingsFields } from "./settings-fields.tsx";

interface SettingsDialogProps {
  readonly isOpen: boolean;
  readonly database: Database;
  readonly change: (body: DatabaseChangeInput) => Promise<Database>;
  readonly onSaved: () => Promise<void>;
  readonly onClose: () => void;
}

export function SettingsDialog({ isOpen, database, onClose, ...form }: SettingsDialogProps) {
  return (
    <Dialog isOpen={isOpen} title={`Settings of “${database.name}”`} onClose={onClose}>
      <SettingsForm {...form} database={database} onClose={onClose} />
    </Dialog>
  );
}

function SettingsForm({ database, change, onSaved, onClose }: Omit<SettingsDialogProps, "isOpen">) {
  const say = useToast();
  const [settings, setSettings] = useState(() => toSettingsDraft(database));
  const [accepts, setAccepts] = useState(database.accept_writing_role);
  const saving = useMutation({
    mutationFn: async () => {
      const { schemas = null, ...rest } = toSettings(settings);
      return await change({ ...rest, schemas, accept_writing_role: accepts });
    },
    onSuccess: async () => {
      onClose();
      say("The change is saved. It takes effect at once.");
      await onSaved();
    },
  });
  const faults = saving.isError ? toApiError(saving.error).fields : {};
  return (
    <Form className="flex flex-col gap-4" onSubmit={() => !saving.isPending && saving.mutate()}>
      <SettingsFields settings={settings} onChange={setSettings} faults={faults} />
      <CheckField
        label="Accept a role that may write"
        checked={accepts}
        onChange={({ target }) => setAccepts(target.checked)}
        hint="Each query still runs in a transaction that only reads."
      />
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
