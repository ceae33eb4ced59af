/** Erasing a project: its name has to be typed, since a whole project's knowledge goes. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { answered, api } from "../../api/client.ts";
import type { Project } from "../../api/types.generated.ts";
import { count } from "../../ui/amounts.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import { ProblemNotice } from "../../ui/notice.tsx";
import { useToast } from "../../ui/toast.tsx";

interface EraseProjectProps {
  readonly project: Project | null;
  readonly onClose: () => void;
}

export function EraseProject({ project, onClose }: EraseProjectProps) {
  return (
    <Dialog isOpen={project !== null} title={`Erase ${project?.name ?? ""}?`} onClose={onClose}>
      {project === null ? null : <EraseForm project={project} onClose={onClose} />}
    </Dialog>
  );
}

function EraseForm({
  project: { name, memories },
  onClose,
}: {
  readonly project: Project;
  readonly onClose: () => void;
}) {
  const queries = useQueryClient();
  const say = useToast();
  const [typed, setTyped] = useState("");
  const [isWrong, setWrong] = useState(false);
  const erasing = useMutation({
    mutationFn: async () => await answered(api.DELETE("/v1/projects/{name}", { params: { path: { name } } })),
    onSuccess: async () => {
      onClose();
      say(`The project ${name} is erased.`);
      document.getElementById("page-title")?.focus();
      await queries.invalidateQueries({ queryKey: ["projects"] });
      await queries.invalidateQueries({ queryKey: ["memory"] });
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (erasing.isPending) return;
    setWrong(typed !== name);
    if (typed === name) erasing.mutate();
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <p>
        {memories === 1 ? "Its one memory is" : `Its ${count(memories)} memories are`} permanently deleted, with the
        files that its tasks share. Its tasks stay, with their own files.
      </p>
      <TextField
        label={`Type ${name} to erase it`}
        autoComplete="off"
        spellCheck="false"
        value={typed}
        onChange={({ target }) => {
          setTyped(target.value);
          setWrong(false);
        }}
        error={isWrong ? `That is not ${name}.` : null}
      />
      {erasing.isError ? <ProblemNotice error={erasing.error} doing="Couldn't erase" /> : null}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="danger" isBusy={erasing.isPending}>
          Erase the project
        </Button>
      </div>
    </form>
  );
}
