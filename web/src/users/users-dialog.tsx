/** Changes who may use a database or a codebase. */
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { toApiError } from "../api/problem.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Form } from "../ui/form.tsx";
import { ProblemNotice } from "../ui/notice.tsx";
import { useToast } from "../ui/toast.tsx";
import { UserFields } from "./user-fields.tsx";
import type { Users } from "./users-draft.ts";

interface UsersDialogProps {
  readonly isOpen: boolean;
  readonly name: string;
  readonly thing: string;
  readonly users: Users;
  readonly save: (users: Users) => Promise<unknown>;
  readonly onSaved: () => Promise<void>;
  readonly onClose: () => void;
}

export function UsersDialog({ isOpen, name, onClose, ...form }: UsersDialogProps) {
  return (
    <Dialog isOpen={isOpen} title={`Who may use “${name}”`} onClose={onClose}>
      <UsersForm {...form} onClose={onClose} />
    </Dialog>
  );
}

function UsersForm({ thing, users, save, onSaved, onClose }: Omit<UsersDialogProps, "isOpen" | "name">) {
  const say = useToast();
  const [draft, setDraft] = useState<Users>(users);
  const saving = useMutation({
    mutationFn: async () => await save(draft),
    onSuccess: async () => {
      onClose();
      say("The change is saved. It takes effect at once.");
      await onSaved();
    },
  });
  const faults = saving.isError ? toApiError(saving.error).fields : {};
  return (
    <Form className="flex flex-col gap-4" onSubmit={() => !saving.isPending && saving.mutate()}>
      <UserFields users={draft} onChange={setDraft} faults={faults} thing={thing} hidesLegend />
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
