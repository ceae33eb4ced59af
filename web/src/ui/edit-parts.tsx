/** What stands around the form of a change under way. */
import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import type { Edit } from "./edit.ts";
import { Notice, ProblemNotice } from "./notice.tsx";

type Shown = Omit<Edit<never>, "start" | "version" | "draft" | "change" | "save">;

/** Above the form: somebody else changed what one is changing, while one typed. `more`: what else can be done about it. */
export function EditOvertaken({
  edit: { isOvertaken, isBusy, seeNewer, saveOver },
  more,
}: {
  readonly edit: Shown;
  readonly more?: ReactNode;
}) {
  if (!isOvertaken) return null;
  return (
    <Notice
      tone="warn"
      title="Somebody else changed this meanwhile"
      action={
        <span className="flex flex-wrap gap-2">
          {more}
          <Button size="small" onClick={seeNewer}>
            Start from the newer one
          </Button>
          <Button size="small" look="danger" isBusy={isBusy} onClick={saveOver}>
            Keep mine over it
          </Button>
        </span>
      }
    >
      Your changes are still in the form and not saved yet.
    </Notice>
  );
}

/** Below its fields: what was refused, and the buttons. `action`: what saving is called. */
export function EditButtons({
  edit: { error, isOvertaken, isBusy, isChanged, undo },
  action = "Save",
}: {
  readonly edit: Shown;
  readonly action?: string;
}) {
  return (
    <>
      {error === null || isOvertaken ? null : <ProblemNotice error={error} doing="Couldn't save" />}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="primary" isBusy={isBusy} disabled={!isChanged}>
          {action}
        </Button>
        <Button look="quiet" disabled={!isChanged} onClick={undo}>
          Undo the changes
        </Button>
      </div>
    </>
  );
}
