/** Replaces the address of a database. It has to be checked next. */
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { toApiError } from "../../api/problem.ts";
import type { Database, DatabaseChangeInput } from "../../api/types.generated.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Form } from "../../ui/form.tsx";
import { ProblemNotice } from "../../ui/notice.tsx";
import { useToast } from "../../ui/toast.tsx";
import { DsnField } from "./dsn-field.tsx";

interface DsnDialogProps {
  readonly isOpen: boolean;
  readonly name: string;
  readonly change: (body: DatabaseChangeInput) => Promise<Database>;
  readonly onSaved: () => Promise<void>;
  readonly onClose: () => void;
}

export function DsnDialog({ isOpen, name, onClose, ...form }: DsnDialogProps) {
  return (
    <Dialog isOpen={isOpen} title={`Replace the DSN of “${name}”`} onClose={onClose}>
      <DsnForm {...form} onClose={onClose} />
    </Dialog>
  );
}

function DsnForm({ change, onSaved, onClose }: Omit<DsnDialogProps, "isOpen" | "name">) {
  const say = useToast();
  const [dsn, setDsn] = useState("");
  const saving = useMutation({
    mutationFn: async () => await change({ dsn: dsn.trim() }),
    onSuccess: async () => {
      onClose();
      say("The DSN is replaced. Check the database next.");
      await onSaved();
    },
  });
  const faults = saving.isError ? toApiError(saving.error).fields : {};
  return (
    <Form className="flex flex-col gap-4" onSubmit={() => !saving.isPending && saving.mutate()}>
      <p className="text-sm text-quiet">Agents cannot query the database until the new address is checked.</p>
      <DsnField dsn={dsn} onChange={setDsn} error={faults["dsn"]} />
      {saving.isError ? <ProblemNotice error={saving.error} doing="Couldn't replace it" /> : null}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" isBusy={saving.isPending}>
          Replace
        </Button>
      </div>
    </Form>
  );
}
