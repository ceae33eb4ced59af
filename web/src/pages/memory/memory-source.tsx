/** Where a memory came from: who wrote it, in which task, when. */
import { Link } from "@tanstack/react-router";
import type { Memory } from "../../api/types.generated.ts";
import { AuthorName } from "../../ui/author-name.tsx";
import { Time } from "../../ui/time.tsx";

export function MemorySource({ memory }: { readonly memory: Memory }) {
  const { author, source_task, created_at, updated_at } = memory;
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-0.5 text-sm text-quiet">
      <span>
        By <AuthorName id={author} />
        {source_task === null ? null : (
          <>
            {" in "}
            <Link to="/tasks/$taskId" params={{ taskId: source_task }} className="text-accent underline">
              this task
            </Link>
          </>
        )}
      </span>
      <Time at={created_at} />
      {updated_at === created_at ? null : (
        <span>
          changed <Time at={updated_at} />
        </span>
      )}
    </p>
  );
}
