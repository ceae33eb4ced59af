/** Tells a running task something; it reads it at its next step. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Send } from "lucide-react";
import type { FormEvent, KeyboardEvent } from "react";
import { answered, api } from "../../api/client.ts";
import { toApiError } from "../../api/problem.ts";
import { useRequestKey } from "../../api/request-key.ts";
import { Button } from "../../ui/button.tsx";
import { useDraft } from "../../ui/draft.ts";
import { TextArea } from "../../ui/field.tsx";
import { ProblemNotice } from "../../ui/notice.tsx";
import { useToast } from "../../ui/toast.tsx";
import { taskQuery } from "./task-query.ts";

/** What the API takes, in UTF-16 units. */
const MAX_TEXT = 16_000;

export function SteerBox({ taskId }: { readonly taskId: string }) {
  const [text, setText] = useDraft(`message ${taskId}`, "");
  const { headersFor, renew } = useRequestKey();
  const say = useToast();
  const client = useQueryClient();
  const telling = useMutation({
    mutationFn: async () => {
      const body = { text: text.trim() };
      const path = { id: taskId };
      return await answered(api.POST("/v1/tasks/{id}/messages", { params: { path }, body, headers: headersFor(body) }));
    },
    onSuccess: (task) => {
      setText("");
      renew();
      client.setQueryData(taskQuery(taskId).queryKey, task);
      say("The task reads it at its next step.");
    },
  });
  const send = (): void => {
    if (text.trim() !== "" && !telling.isPending) telling.mutate();
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    send();
  };
  const press = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    send();
  };
  const fault = telling.isError ? toApiError(telling.error).fields["text"] : undefined;
  return (
    <form onSubmit={submit} className="flex flex-col gap-2 rounded-lg border border-line bg-surface p-3">
      <TextArea
        label="Tell the task something"
        name="message"
        rows={2}
        maxLength={MAX_TEXT}
        value={text}
        onKeyDown={press}
        onChange={({ target }) => setText(target.value)}
        hint="It reads this at its next step. Ctrl+Enter sends it."
        error={fault}
      />
      {telling.isError && fault === undefined ? <ProblemNotice error={telling.error} doing="Couldn't send" /> : null}
      <Button
        type="submit"
        className="self-end"
        isBusy={telling.isPending}
        aria-disabled={text.trim() === ""}
        icon={<Send aria-hidden className="size-4" />}
      >
        Send
      </Button>
    </form>
  );
}
