import { useMutation } from "@tanstack/react-query";
import { Trash2 } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Button } from "./button.tsx";
import { Confirm } from "./dialog.tsx";
import { ProblemNotice } from "./notice.tsx";
import { useToast } from "./toast.tsx";

interface DeleteButtonProps {
  /** What is deleted, by the name that people know. */
  readonly name: string;
  /** What the button in the window says: "Delete the person". */
  readonly action: string;
  readonly remove: () => Promise<unknown>;
  /** Leaves the page of the deleted thing and drops its data. */
  readonly onDeleted: () => Promise<void>;
  /** What is lost with it. */
  readonly children: ReactNode;
}

/** Asks, deletes, and says so. */
export function DeleteButton({ name, action, remove, onDeleted, children }: DeleteButtonProps) {
  const say = useToast();
  const [isAsking, setAsking] = useState(false);
  const deleting = useMutation({
    mutationFn: remove,
    onSuccess: async () => {
      say(`“${name}” is deleted.`);
      await onDeleted();
    },
  });
  return (
    <>
      <Button
        look="danger"
        className="self-start"
        icon={<Trash2 aria-hidden className="size-4" />}
        onClick={() => setAsking(true)}
      >
        Delete
      </Button>
      <Confirm
        isOpen={isAsking}
        title={`Delete “${name}”?`}
        action={action}
        isBusy={deleting.isPending}
        onConfirm={() => deleting.mutate()}
        onClose={() => setAsking(false)}
      >
        {children}
        {deleting.isError ? <ProblemNotice error={deleting.error} doing="Couldn't delete" /> : null}
      </Confirm>
    </>
  );
}
