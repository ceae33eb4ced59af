import { Check, PenLine, X } from "lucide-react";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { sessionQuery } from "../api/session.ts";
import type { PendingEntry } from "../api/types.ts";
import { Button } from "../ui/button.tsx";
import { bytes } from "../ui/amounts.ts";
import { useDraft } from "../ui/draft.ts";
import { TextArea } from "../ui/field.tsx";
import { Form } from "../ui/form.tsx";
import { Name } from "../ui/name.tsx";
import { AccountName } from "./account-line.tsx";
import { ArgumentsEditor } from "./arguments-editor.tsx";
import { ArgumentsView } from "./arguments-view.tsx";
import { CardFrame, CardProblem, type CardProps } from "./card-frame.tsx";
import { canDecide, describeAccount } from "./account-words.ts";
import { useDecision } from "./decide.ts";
import { describeEffect } from "./effect-words.ts";
import {
  asArguments,
  type ArgumentsDraft,
  changedArguments,
  faultsByArgument,
  formBase,
  readDraft,
  UNTOUCHED,
} from "./edited-arguments.ts";

/** Characters of a hash that people compare. */
const SHORT_HASH = 12;
/** Characters that the reason of a refusal may have. */
const MAX_REASON = 2000;

interface ApprovalDraft {
  readonly doing: "deciding" | "editing" | "refusing";
  readonly edit: ArgumentsDraft;
  readonly reason: string;
}

const START: ApprovalDraft = { doing: "deciding", edit: UNTOUCHED, reason: "" };

interface ApprovalCardProps extends CardProps {
  readonly entry: Extract<PendingEntry, { kind: "approval" }>;
}

/** An action that needs approval. It runs with exactly these arguments, or with those that a person enters. */
export function ApprovalCard({ taskId, entry, isSettled, onDone, onClose }: ApprovalCardProps) {
  const [draft, setDraft, forget] = useDraft(`approval ${entry.id}`, START);
  const said = useRef("");
  const { send, sending, error } = useDecision(taskId, entry, () => {
    forget();
    onDone(said.current);
  });
  const form = useFocusOfForm(draft.doing);
  const { data: session } = useQuery(sessionQuery);
  const reader = session?.person?.id ?? null;
  const asked = asArguments(entry.arguments);
  const read = readDraft(asked, draft.edit);
  const unread = draft.doing === "editing" && !read.ok ? read.faults : null;
  const refused = faultsByArgument(error?.fields ?? {}, Object.keys(formBase(asked, draft.edit)));
  const turnTo = (doing: ApprovalDraft["doing"]): void => setDraft({ ...draft, doing });

  const approve = (): void => {
    said.current = "Approved. The task continues.";
    send({ decision: "approve" });
  };
  const submit = (): void => {
    if (isSettled) return;
    if (draft.doing === "refusing") {
      said.current = "Refused. The agent gets your reason.";
      const reason = draft.reason.trim();
      return send({ decision: "refuse", ...(reason === "" ? {} : { reason }) });
    }
    if (!read.ok) return;
    const changed = changedArguments(asked, read.arguments);
    said.current =
      changed === null ? "Approved. The task continues." : "Approved with your changes. The task continues.";
    send({ decision: "approve", ...(changed === null ? {} : { arguments: changed }) });
  };

  return (
    <CardFrame
      taskId={taskId}
      entry={entry}
      title={
        <>
          Allow <code className="font-mono">{entry.tool}</code>?
        </>
      }
    >
      {entry.reason === "" ? null : (
        <p dir="auto" className="text-quiet">
          {entry.reason}
        </p>
      )}
      {entry.effect === undefined ? null : <p className="text-quiet">{describeEffect(entry.effect)}</p>}
      <Account entry={entry} reader={reader} />
      {draft.doing === "editing" ? null : <ArgumentsView value={entry.arguments} />}
      {entry.files === undefined ? null : (
        <ul aria-label="Files that you approve" className="flex flex-col gap-1 text-sm">
          {entry.files.map(({ path, size, sha256, file_count: count }) => (
            <li key={path} className="flex flex-wrap gap-x-2">
              <span dir="auto" className="break-all">
                {path}
              </span>
              <span className="text-quiet">
                {count === undefined ? "" : `${count} files, `}
                {bytes(size)}, SHA-256 <code className="font-mono text-xs">{sha256.slice(0, SHORT_HASH)}…</code>
              </span>
            </li>
          ))}
        </ul>
      )}
      <div ref={form}>
        <Form onSubmit={submit} className="flex flex-col gap-4">
          {draft.doing === "editing" ? (
            <ArgumentsEditor
              asked={asked}
              draft={draft.edit}
              onChange={(edit) => setDraft({ ...draft, edit })}
              faults={unread ?? refused}
            />
          ) : null}
          {draft.doing === "refusing" ? (
            <TextArea
              label="Why not (the agent reads it)"
              hint="May be left empty. Ctrl+Enter sends it."
              maxLength={MAX_REASON}
              rows={2}
              value={draft.reason}
              onChange={({ target }) => setDraft({ ...draft, reason: target.value })}
              error={error?.fields["reason"]}
            />
          ) : null}
          <CardProblem error={error} isSettled={isSettled} fieldsShown={draft.doing === "editing"} onClose={onClose} />
          {canDecide(entry, reader) ? (
            <Choices
              doing={draft.doing}
              isSettled={isSettled}
              isUnread={unread !== null}
              sending={sending?.decision ?? null}
              onApprove={approve}
              onTurn={turnTo}
            />
          ) : null}
        </Form>
      </div>
    </CardFrame>
  );
}

interface AccountProps extends Pick<ApprovalCardProps, "entry"> {
  /** The id of the person who reads this. */
  readonly reader: string | null;
}

/** Through which account the call acts, and who decides. */
function Account({ entry: { account, decides }, reader }: AccountProps) {
  if (account === undefined && decides == null) return null;
  return (
    <div>
      {account === undefined ? null : (
        <p>
          Through <AccountName words={describeAccount(account)} />
        </p>
      )}
      {decides == null ? null : (
        <p className="text-quiet">
          {decides.person_id === reader ? (
            "You decide this"
          ) : (
            <>
              <Name>{decides.name}</Name> decides this
            </>
          )}
          {decides.delegates ? ", or anyone who may approve." : "."}
        </p>
      )}
    </div>
  );
}

interface ChoicesProps {
  readonly doing: ApprovalDraft["doing"];
  readonly isSettled: boolean;
  /** What was typed cannot be read as arguments. */
  readonly isUnread: boolean;
  readonly sending: "approve" | "refuse" | null;
  readonly onApprove: () => void;
  readonly onTurn: (doing: ApprovalDraft["doing"]) => void;
}

function Choices({ doing, isSettled, isUnread, sending, onApprove, onTurn }: ChoicesProps) {
  if (doing === "deciding")
    return (
      <div className="flex flex-wrap gap-2">
        <Button
          look="primary"
          data-action="approve"
          disabled={isSettled}
          isBusy={sending === "approve"}
          icon={<Check aria-hidden className="size-4" />}
          onClick={onApprove}
        >
          Approve
        </Button>
        <Button
          data-action="edit"
          disabled={isSettled}
          icon={<PenLine aria-hidden className="size-4" />}
          onClick={() => onTurn("editing")}
        >
          Edit and approve
        </Button>
        <Button
          look="danger"
          data-action="refuse"
          disabled={isSettled}
          icon={<X aria-hidden className="size-4" />}
          onClick={() => onTurn("refusing")}
        >
          Refuse
        </Button>
      </div>
    );
  const isEditing = doing === "editing";
  return (
    <div className="flex flex-wrap gap-2">
      <Button
        type="submit"
        look={isEditing ? "primary" : "danger"}
        disabled={isSettled || isUnread}
        isBusy={sending !== null}
      >
        {isEditing ? "Approve with these" : "Refuse it"}
      </Button>
      <Button onClick={() => onTurn("deciding")}>Back</Button>
    </div>
  );
}

/** Opening a form puts the focus into its first field; leaving it, onto the first button. */
function useFocusOfForm(doing: ApprovalDraft["doing"]) {
  const form = useRef<HTMLDivElement>(null);
  const before = useRef(doing);
  useEffect(() => {
    if (before.current === doing) return;
    before.current = doing;
    form.current?.querySelector<HTMLElement>(doing === "deciding" ? "button" : "textarea, input")?.focus();
  }, [doing]);
  return form;
}
