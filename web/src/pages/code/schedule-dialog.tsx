/** Changes when a codebase is indexed again. */
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { answered, api } from "../../api/client.ts";
import { toApiError } from "../../api/problem.ts";
import type { Codebase } from "../../api/types.generated.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import type { Faults } from "../../ui/faults.ts";
import { Form } from "../../ui/form.tsx";
import { ProblemNotice } from "../../ui/notice.tsx";
import { useToast } from "../../ui/toast.tsx";
import { findRuleFault, readRule, toRuleDraft } from "./code-schedule.ts";
import { findScheduleFault, ScheduleFields } from "./schedule-fields.tsx";

interface ScheduleDialogProps {
  readonly isOpen: boolean;
  readonly codebase: Codebase;
  readonly onSaved: () => Promise<void>;
  readonly onClose: () => void;
}

export function ScheduleDialog({ isOpen, codebase, onClose, onSaved }: ScheduleDialogProps) {
  return (
    <Dialog isOpen={isOpen} title={`Schedule of “${codebase.name}”`} onClose={onClose}>
      <ScheduleForm codebase={codebase} onSaved={onSaved} onClose={onClose} />
    </Dialog>
  );
}

function ScheduleForm({ codebase: { id, source, reindex }, onSaved, onClose }: Omit<ScheduleDialogProps, "isOpen">) {
  const say = useToast();
  const [rule, setRule] = useState(() => toRuleDraft(reindex.every));
  const [own, setOwn] = useState<Faults>({});
  const saving = useMutation({
    mutationFn: async () =>
      await answered(
        api.PUT("/v1/codebases/{id}/reindex", { params: { path: { id } }, body: { every: readRule(rule) } }),
      ),
    onSuccess: async () => {
      onClose();
      say("The schedule is saved.");
      await onSaved();
    },
  });
  const submit = (): void => {
    if (saving.isPending) return;
    const fault = findRuleFault(rule);
    setOwn(fault);
    if (Object.keys(fault).length === 0) saving.mutate();
  };
  const faults: Faults = { ...(saving.isError ? toApiError(saving.error).fields : {}), ...own };
  return (
    <Form className="flex flex-col gap-4" onSubmit={submit}>
      <ScheduleFields
        rule={rule}
        onChange={(next) => {
          setRule(next);
          setOwn({});
        }}
        faults={faults}
        isRepository={"git" in source}
      />
      {saving.isError && findScheduleFault(faults) === undefined ? (
        <ProblemNotice error={saving.error} doing="Couldn't save" />
      ) : null}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" isBusy={saving.isPending}>
          Save
        </Button>
      </div>
    </Form>
  );
}
