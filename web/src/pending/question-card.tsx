import { Send } from "lucide-react";
import { lazy, Suspense, useId } from "react";
import type { PendingEntry } from "../api/types.ts";
import { Button } from "../ui/button.tsx";
import { useDraft } from "../ui/draft.ts";
import { ExactText } from "../ui/exact-text.tsx";
import { honestProse } from "../ui/visible-text.ts";
import { TextArea } from "../ui/field.tsx";
import { Form } from "../ui/form.tsx";
import { CardFrame, CardProblem, type CardProps } from "./card-frame.tsx";
import { useAnswer } from "./decide.ts";
import { whenReached } from "../api/when-reached.ts";

const Markdown = lazy(async () => await whenReached(async () => await import("../ui/markdown.tsx")));

/** Characters that an answer may have. */
const MAX_ANSWER = 16_000;

interface QuestionCardProps extends CardProps {
  readonly entry: Extract<PendingEntry, { kind: "question" }>;
}

/** A question of a task: the first answer counts. */
export function QuestionCard({ taskId, entry, isSettled, onDone, onClose }: QuestionCardProps) {
  const [text, setText, forget] = useDraft(`answer ${entry.id}`, "");
  const { send, sending, error } = useAnswer(taskId, entry, () => {
    forget();
    onDone("Answered. The task continues.");
  });
  const isSendingText = sending !== null && "text" in sending;
  const hasChoices = entry.choices !== null && entry.choices.length > 0;
  const choicesId = useId();
  const submit = (): void => {
    if (text.trim() !== "" && !isSettled) send({ text });
  };
  return (
    <CardFrame taskId={taskId} entry={entry} title="Question">
      <Suspense fallback={<p className="whitespace-pre-wrap">{honestProse(entry.query)}</p>}>
        <Markdown text={entry.query} />
      </Suspense>
      {hasChoices ? (
        <div role="group" aria-labelledby={choicesId} className="flex flex-col gap-2">
          <p id={choicesId} className="text-sm font-medium">
            Choose an answer
          </p>
          <div className="flex flex-wrap gap-2">
            {(entry.choices ?? []).map((choice, index) => (
              <Button
                key={`${index} ${choice}`}
                data-action={index === 0 ? "first" : undefined}
                className="max-w-full py-1.5 text-left whitespace-normal!"
                disabled={isSettled}
                isBusy={sending !== null && "choice" in sending && sending.choice === choice}
                onClick={() => send({ choice })}
              >
                <span className="min-w-0">
                  <ExactText text={choice} />
                </span>
              </Button>
            ))}
          </div>
        </div>
      ) : null}
      <Form onSubmit={submit} className="flex flex-col gap-3">
        <TextArea
          label={hasChoices ? "Or answer in your own words" : "Your answer"}
          hint="Ctrl+Enter sends it."
          data-action={hasChoices ? undefined : "first"}
          rows={hasChoices ? 1 : 3}
          maxLength={MAX_ANSWER}
          value={text}
          onChange={({ target }) => setText(target.value)}
          error={error?.fields["text"]}
        />
        <CardProblem
          error={error}
          isSettled={isSettled}
          fieldsShown={error?.fields["text"] !== undefined}
          onClose={onClose}
        />
        <div>
          <Button
            type="submit"
            look={hasChoices ? "plain" : "primary"}
            isBusy={isSendingText}
            disabled={isSettled || text.trim() === ""}
            icon={<Send aria-hidden className="size-4" />}
          >
            Send the answer
          </Button>
        </div>
      </Form>
    </CardFrame>
  );
}
