/** One memory, to be read, changed and deleted; or a new one. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Trash2 } from "lucide-react";
import { useState } from "react";
import { answered, api } from "../../api/client.ts";
import { useRequestKey } from "../../api/request-key.ts";
import type { Memory } from "../../api/types.generated.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { useDraft } from "../../ui/draft.ts";
import { FromOutside } from "../../ui/from-outside.tsx";
import { MissingData } from "../../ui/missing-data.tsx";
import { ProblemNotice } from "../../ui/notice.tsx";
import { useToast } from "../../ui/toast.tsx";
import { MemoryForm, type MemoryFields } from "./memory-form.tsx";
import { NEW } from "./memory-search.ts";
import { MemorySource } from "./memory-source.tsx";

interface MemoryDialogProps {
  /** Null: closed. */
  readonly id: string | null;
  readonly onClose: () => void;
}

export function MemoryDialog({ id, onClose }: MemoryDialogProps) {
  return (
    <Dialog isOpen={id !== null} title={id === NEW ? "Add a memory" : "Memory"} onClose={onClose} isWide>
      {id === NEW ? <NewMemory onDone={onClose} /> : null}
      {id === null || id === NEW ? null : <OneMemory key={id} id={id} onDone={onClose} />}
    </Dialog>
  );
}

const NOTHING: MemoryFields = { content: "", tags: [], project: "" };

function NewMemory({ onDone }: { readonly onDone: () => void }) {
  const done = useDone(onDone);
  const { headersFor } = useRequestKey();
  const [fields, setFields, forget] = useDraft<MemoryFields>("new memory", NOTHING);
  const saving = useMutation({
    mutationFn: async ({ content, tags, project }: MemoryFields) => {
      const body = { content, tags: [...tags], project: project.trim() === "" ? null : project.trim() };
      const request = api.POST("/v1/memory", { body, headers: headersFor(body) });
      await answered(request);
      return (await request).response.status === 201;
    },
    onSuccess: async (isNew) => {
      forget();
      await done(isNew ? "It is remembered." : "That was remembered already; the tags are added to it.");
    },
  });
  return (
    <MemoryForm
      fields={fields}
      onChange={setFields}
      isNew
      action="Add the memory"
      isBusy={saving.isPending}
      error={saving.error}
      onSave={saving.mutate}
    />
  );
}

function OneMemory({ id, onDone }: { readonly id: string; readonly onDone: () => void }) {
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ["memory", "one", id],
    queryFn: async () => await answered(api.GET("/v1/memory/{id}", { params: { path: { id } } })),
  });
  if (data === undefined) return <MissingData error={error} isPending={isPending} refetch={refetch} />;
  return <EditMemory memory={data} onDone={onDone} />;
}

function EditMemory({ memory, onDone }: { readonly memory: Memory; readonly onDone: () => void }) {
  const { id, content, tags, project, kind, label } = memory;
  const start: MemoryFields = { content, tags, project: project ?? "" };
  const [fields, setFields, forget] = useDraft(`memory ${id}`, start);
  const done = useDone(onDone);
  const saving = useMutation({
    mutationFn: async (saved: MemoryFields) => {
      const body = { content: saved.content, tags: [...saved.tags] };
      return await answered(api.PUT("/v1/memory/{id}", { params: { path: { id } }, body }));
    },
    onSuccess: async () => {
      forget();
      await done("The memory is changed.");
    },
  });
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center gap-2">
        <Badge tone={project === null ? "plain" : "accent"}>{project ?? "whole tenant"}</Badge>
        {kind === "summary" ? <Badge tone="info">summary of a task</Badge> : null}
        {label === "outside" ? <FromOutside isUnconfirmed /> : null}
      </div>
      <MemorySource memory={memory} />
      {label === "outside" ? <ConfirmMemory id={id} done={done} /> : null}
      <MemoryForm
        fields={fields}
        onChange={setFields}
        isNew={false}
        action="Save the change"
        isBusy={saving.isPending}
        error={saving.error}
        onSave={saving.mutate}
      />
      <DeleteMemory id={id} done={done} />
    </div>
  );
}

/** The button that was pressed is gone by then. */
function takeFocus(button: HTMLButtonElement | null): void {
  button?.focus();
}

/** Text from outside becomes a fact for every agent, so an administrator reads it first. */
function ConfirmMemory({ id, done }: { readonly id: string; readonly done: (said: string) => Promise<void> }) {
  const confirming = useMutation({
    mutationFn: async () =>
      await answered(api.PUT("/v1/memory/{id}", { params: { path: { id } }, body: { label: "tenant" } })),
    onSuccess: async () => await done("The memory is confirmed."),
  });
  return (
    <div className="flex flex-col items-start gap-2">
      <p className="text-sm text-quiet">
        A task saved this after it had read text from outside. Agents do not use it as a fact until you confirm it.
      </p>
      <Button isBusy={confirming.isPending} onClick={() => confirming.mutate()}>
        Confirm as a fact
      </Button>
      {confirming.error === null ? null : <ProblemNotice error={confirming.error} />}
    </div>
  );
}

/** Asks in its place: a second window above this one would hide what is meant. */
function DeleteMemory({ id, done }: { readonly id: string; readonly done: (said: string) => Promise<void> }) {
  const [isAsked, setAsked] = useState(false);
  const deleting = useMutation({
    mutationFn: async () => await answered(api.DELETE("/v1/memory/{id}", { params: { path: { id } } })),
    onSuccess: async () => await done("The memory is deleted."),
  });
  return (
    <div className="flex flex-col gap-3 border-t border-line pt-4">
      {isAsked ? (
        <div role="group" aria-label="Delete this memory" className="flex flex-wrap items-center gap-2">
          <p className="min-w-0 flex-1 basis-60">No agent will know this any more. It cannot be brought back.</p>
          <Button ref={takeFocus} onClick={() => setAsked(false)}>
            Keep it
          </Button>
          <Button look="danger" isBusy={deleting.isPending} onClick={() => deleting.mutate()}>
            Delete permanently
          </Button>
        </div>
      ) : (
        <Button
          look="danger"
          className="self-start"
          icon={<Trash2 aria-hidden className="size-4" />}
          onClick={() => setAsked(true)}
        >
          Delete
        </Button>
      )}
      {deleting.isError ? <ProblemNotice error={deleting.error} doing="Couldn't delete" /> : null}
    </div>
  );
}

/** Closes the window, says what was done, and reads the lists again. The focus goes to the page's title. */
function useDone(onDone: () => void): (said: string) => Promise<void> {
  const queries = useQueryClient();
  const say = useToast();
  return async (said) => {
    onDone();
    say(said);
    await queries.invalidateQueries({ queryKey: ["memory", "list"] });
    queries.removeQueries({ queryKey: ["memory", "one"] });
    await queries.invalidateQueries({ queryKey: ["projects"] });
    document.getElementById("page-title")?.focus();
  };
}
