/** A link to a file that a call of an app saved in the task's sandbox. A result can name any file of it, so the link leads no further. */
import { Link, useParams } from "@tanstack/react-router";
import { visibleText } from "../../../ui/visible-text.ts";

interface SavedFileLinkProps {
  readonly path: string;
  readonly children: string;
}

export function SavedFileLink({ path, children }: SavedFileLinkProps) {
  const { taskId } = useParams({ from: "/console/tasks/$taskId" });
  return (
    <Link
      to="/tasks/$taskId"
      params={{ taskId }}
      search={{ view: "files", file: path }}
      className="text-accent underline [overflow-wrap:anywhere]"
    >
      <bdi>{visibleText(children)}</bdi>
    </Link>
  );
}
